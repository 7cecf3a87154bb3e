package verifiers

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// polls are the live reader's of an output partition (-1: of all of them), at their places: what a test does to them stays.
func (w *world) polls(pipeline string, p int32) (all []*history.DeliveredLive) {
	w.placePolls()
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.DeliveredLive); ok && s.Topic == "out-"+pipeline && (p < 0 || s.Partition == p) && s.Count > 0 {
			delete(w.placed, s)
			all = append(all, s)
		}
	}
	return all
}

// showBack lets every n-th poll of a row be followed by one that brings its partition's first records again.
func (w *world) showBack(pipeline string, n int) {
	f := w.hist("observer-live")
	for i, s := range w.polls(pipeline, -1) {
		if i%n == n-1 {
			at := slices.Index(f.entries, history.Entry(s))
			back := &history.DeliveredLive{Stamp: history.At(s.At), Topic: s.Topic, Partition: s.Partition, From: 0, To: perBatch, Count: perBatch}
			f.entries = slices.Insert(f.entries, at+1, history.Entry(back))
		}
	}
}

// skipPolls takes n polls of a partition away, from the first-th on.
func (w *world) skipPolls(pipeline string, p int32, first, n int) {
	gone := w.polls(pipeline, p)[first : first+n]
	f := w.hist("observer-live")
	f.entries = slices.DeleteFunc(f.entries, func(e history.Entry) bool {
		s, ok := e.(*history.DeliveredLive)
		return ok && slices.Contains(gone, s)
	})
}

// abortOne makes one transaction's end an abort, in the log and in its worker's history: nothing contradicts.
func (w *world) abortOne(n uint64) {
	for _, e := range w.hist("transactional-0").entries {
		switch e := e.(type) {
		case *history.TxnEnding:
			e.Commit = e.Commit && e.Txn != n
		case *history.TxnEnded:
			e.Commit = e.Commit && e.Txn != n
		}
	}
	for p := range int32(parts) {
		w.log("out-"+txnName, p).batches[2*n-1].Marker = observation.MarkerAbort
	}
	w.addAgain(n)
}

// cutOff lets a partition's log be cut off at an offset and written again, under a newer leader, at a time.
func (w *world) cutOff(pipeline string, p int32, from int64, at history.Time) {
	for _, b := range w.log("out-"+pipeline, p).batches {
		if b.First >= from {
			b.LeaderEpoch = 1
		}
	}
	for _, e := range w.hist("observer-samples").entries {
		if s, ok := e.(*history.Sample); ok && s.Topic == "out-"+pipeline && s.Partition == p && s.At >= at {
			s.LeaderEpoch = 1
		}
	}
}

// cutMarkers cuts a partition of the transactional row off at the marker of a transaction, or some records above it, after the
// live reader was given the transaction and before it was given the next.
func (w *world) cutMarkers(p int32, txn uint64, above int64) {
	from := w.log("out-"+txnName, p).batches[2*txn-1].First + above
	for _, s := range w.polls(txnName, p) {
		if s.To > from {
			w.cutOff(txnName, p, from, s.At)
			break
		}
	}
	for _, e := range w.hist("observer-samples").entries {
		if s, ok := e.(*history.Sample); ok && s.Topic == "out-"+txnName && s.Partition == p && s.LeaderEpoch == 0 {
			s.HW = from + 1
		}
	}
}

// deliverAgain lets the reader of a partition that is cut off in a poll's middle begin again at the cut.
func (w *world) deliverAgain(pipeline string, p int32, from int64) {
	polls := w.polls(pipeline, p)
	w.cutOff(pipeline, p, from, polls[60].At)
	var again []history.Entry
	for _, s := range polls {
		if s.From >= from && s.At < polls[60].At {
			twice := *s
			twice.At, twice.New = polls[60].At, 0
			again = append(again, &twice)
		}
	}
	f := w.hist("observer-live")
	f.entries = slices.Insert(f.entries, slices.Index(f.entries, history.Entry(polls[60])), again...)
}

// readControls are plants in what readers were given: numbers by row, exactly.
var readControls = []struct {
	name string
	row  string
	do   func(w *world)
	want numbers
	// breaks are the guarantees that are violated, of those that the row has a verdict on.
	breaks []harness.Guarantee
	// more holds figures that the plant rightly changes too.
	more []string
}{
	{"every 50th poll goes back to the start", srcName, func(w *world) { w.showBack(srcName, 50) },
		numbers{"pollsBack": uint64(6), "deliveredTwice": uint64(60)}, []harness.Guarantee{harness.AtMostOnce}, nil},
	{"a poll of a transactional row goes back", txnName, func(w *world) { w.showBack(txnName, 300) },
		numbers{"pollsBack": uint64(1), "deliveredTwice": uint64(10)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce, harness.InOrder}, nil},
	{"every 50th poll is given 7 records more", plainName, func(w *world) {
		for i, s := range w.polls(plainName, -1) {
			if i%50 == 49 {
				s.Count += 7
			}
		}
	}, numbers{"dirtyReads": uint64(42)}, []harness.Guarantee{harness.AtMostOnce}, nil},
	{"an aborted transaction was given to the live reader", txnName, func(w *world) {
		w.polls(txnName, -1)
		w.abortOne(7)
	}, numbers{"dirtyReads": uint64(30)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}, nil},
	{"an aborted transaction was given to the live reader, and the log was cut off above its marker", txnName, func(w *world) {
		w.polls(txnName, -1)
		w.abortOne(7)
		for p := range int32(parts) {
			w.cutMarkers(p, 7, 1)
		}
	}, numbers{"dirtyReads": uint64(30)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}, nil},
	{"an open transaction was given to the live reader", txnName, func(w *world) {
		w.polls(txnName, -1)
		w.leaveOpen("Ongoing", 60_000)
	}, numbers{"dirtyReads": uint64(30)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}, []string{"hanging", "hidden"}},
	{"the first poll is given a record more", srcName, func(w *world) { w.polls(srcName, 0)[0].Count++ },
		numbers{"dirtyReads": uint64(1)}, []harness.Guarantee{harness.AtMostOnce}, nil},
	{"a worker was given more input than there is", plainName, func(w *world) {
		for _, e := range w.hist("idempotent-0").entries {
			if p, ok := e.(*history.Polled); ok && p.Partition == 1 && p.From == 500 {
				p.Count += 3
			}
		}
	}, numbers{"dirtyReads": uint64(3)}, []harness.Guarantee{harness.AtMostOnce}, nil},
	{"19 polls in a row skipped", srcName, func(w *world) { w.skipPolls(srcName, 1, 40, 19) },
		numbers{"pollSkips": uint64(190), "neverLive": uint64(190)}, []harness.Guarantee{harness.AtLeastOnce}, nil},
	{"the first poll skipped", txnName, func(w *world) { w.skipPolls(txnName, 2, 0, 1) },
		numbers{"pollSkips": uint64(10), "neverLive": uint64(10)}, []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}, nil},
	{"a poll leaves one record of its range out", plainName, func(w *world) {
		s := w.polls(plainName, 0)[3]
		s.Count, s.New = s.Count-1, s.New-1
	}, numbers{"pollSkips": uint64(1), "neverLive": uint64(1)}, []harness.Guarantee{harness.AtLeastOnce}, nil},
	{"a worker's poll is skipped", plainName, func(w *world) {
		f := w.hist("idempotent-0")
		f.entries = slices.DeleteFunc(f.entries, func(e history.Entry) bool {
			p, ok := e.(*history.Polled)
			return ok && p.Partition == 2 && p.From == 300
		})
	}, numbers{"pollSkips": uint64(10)}, []harness.Guarantee{harness.AtLeastOnce}, nil},
	{"every delivery two seconds earlier", txnName, func(w *world) {
		for _, s := range w.polls(txnName, -1) {
			s.At = s.At.Add(-2 * time.Second)
		}
	}, numbers{"earlyReads": uint64(records)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}, nil},
	{"one delivery before its commit was asked for", txnName, func(w *world) {
		s := w.polls(txnName, 1)[40]
		s.At = w.log(inTopic, 0).batches[40].Records[0].Scheduled - 1
	}, numbers{"earlyReads": uint64(perBatch)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}, nil},
	{"a log that was cut off is delivered again", txnName, func(w *world) { w.deliverAgain(txnName, 1, 440) },
		numbers{"deliveredTwice": uint64(200)}, []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}, nil},
	{"a hole in the output that was delivered", srcName, func(w *world) {
		w.polls(srcName, -1)
		l := w.log("out-"+srcName, 0)
		for range 6 {
			l.dropRecord(l.batches[20], 2)
		}
	}, numbers{"missingOffsets": uint64(6)}, []harness.Guarantee{harness.AtLeastOnce}, []string{"lost", "unique", "lostBy"}},
}

// TestReadsThatWentWrong plants what readers can be given wrongly: each with its number, and the guarantees that it breaks.
func TestReadsThatWentWrong(t *testing.T) {
	watched := []string{"pollsBack", "pollSkips", "dirtyReads", "earlyReads", "deliveredTwice", "missingOffsets", "neverLive", "duplicates", "lost", "torn"}
	for _, c := range readControls {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(records)
			c.do(w)
			row := rowOf(t, w.judge(t), c.row)
			for _, key := range watched {
				if want, ok := c.want[key]; ok {
					require.Equal(t, want, row.Numbers.Value(key), "%s: %s", key, reasons(row))
				} else if !slices.Contains(c.more, key) {
					require.Zero(t, row.Numbers.Count(key), "%s: %s", key, reasons(row))
				}
			}
			for _, v := range row.Verdicts {
				if slices.Contains(c.breaks, v.Guarantee) {
					require.Equal(t, harness.Violated, v.Verdict, "%s: %s", v.Guarantee, reasons(row))
				} else if len(c.more) == 0 {
					require.Equal(t, harness.Held, v.Verdict, "%s: %s", v.Guarantee, reasons(row))
				}
			}
		})
	}
}

// TestReadsThatAreExcused: a worker may go back, begin again and read what another had; a log that was cut off or deleted is not
// what readers were given.
func TestReadsThatAreExcused(t *testing.T) {
	for name, do := range map[string]func(w *world){
		"a worker reads again after its predecessor": func(w *world) { w.reread("idempotent-1", 1, 1, 2) },
		"a log start that moved": func(w *world) {
			w.polls(srcName, -1)
			l := w.log("out-"+srcName, 0)
			l.batches = l.batches[5:]
			w.tweak = func(x *observation.Index) { x.Partition("out-"+srcName, 0).LogStart = 50 }
		},
		"a log that was cut off holds other records": func(w *world) {
			polls := w.polls(srcName, 0)
			w.cutOff(srcName, 0, 400, polls[60].At)
			for _, e := range w.hist("observer-samples").entries {
				if s, ok := e.(*history.Sample); ok && s.Topic == "out-"+srcName && s.Partition == 0 && s.LeaderEpoch == 0 {
					s.HW = 600
				}
			}
			l := w.log("out-"+srcName, 0)
			l.dropRecord(l.batches[45], 3)
		},
		"a commit marker was cut off, and its transaction aborted": func(w *world) {
			w.polls(txnName, -1)
			w.abortOne(7)
			for p := range int32(parts) {
				w.cutMarkers(p, 7, 0)
			}
		},
		"a client's notice of lost data": func(w *world) {
			polls := w.polls(srcName, 0)
			l := w.log("out-"+srcName, 0)
			l.dropRecord(l.batches[45], 3)
			w.hist("observer-live").add(&history.Mark{Stamp: history.At(polls[60].At), Name: history.MarkDataLoss,
				Text: "out-acks1/0: topic out-acks1 partition 0 lost records; the client consumed to offset 600 epoch 0 but was reset to offset 400 epoch 0"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(records)
			do(w)
			report := w.judge(t)
			for _, row := range report.Rows {
				for _, key := range []string{"pollsBack", "pollSkips", "dirtyReads", "earlyReads"} {
					require.Zero(t, row.Numbers.Count(key), "%s %s: %s", row.Pipeline, key, reasons(row))
				}
			}
		})
	}
}

// TestOldNoticesAreRead: what kgo says of lost data, in its words.
func TestOldNoticesAreRead(t *testing.T) {
	w := newWorld(records)
	w.hist("observer-live").add(
		&history.Mark{Stamp: history.At(at(5)), Name: history.MarkDataLoss, Text: "t/1: topic t partition 1 lost records; the client consumed to offset 9 epoch 0 but was reset to offset 4 epoch 0"},
		&history.Mark{Stamp: history.At(at(6)), Name: history.MarkDataLoss, Text: "t/1: topic t partition 1 lost records; the client consumed to offset 9 epoch 0 and resumed there, but records below that offset may have been replaced and were not re-read"})
	r, err := saved.Load(w.save(t), small)
	require.NoError(t, err)
	require.Equal(t, []saved.DataLoss{{At: at(5), From: 4}, {At: at(6)}}, r.Live.DataLoss[ask.TopicPartition{Topic: "t", Partition: 1}])
}
