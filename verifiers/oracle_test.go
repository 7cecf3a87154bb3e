package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// oracle computes a row's numbers from the world itself, the slow way: maps, one record after the other, no bitmaps, no
// files.
func oracle(w *world, layout harness.PipelineLayout, position map[int32]int64) harness.Numbers {
	var n harness.Numbers
	input := inputsOf(w, layout)
	n.Input = uint64(len(input))
	copies, hiddenCopies := map[tpo]int{}, map[tpo]int{}
	firstSeen := map[tp]map[tpo]bool{}
	for number := range int32(parts * len(layout.Outputs())) {
		topic, p := layout.Place(number, parts)
		out := tp{topic, p}
		firstSeen[out] = map[tpo]bool{}
		highest := map[int32]int64{}
		fates, stable := fatesOf(w.logs[out])
		for i, b := range w.logs[out].batches {
			for _, rec := range b.Records {
				k := keyOf(layout, topic, rec)
				if fates[i] == aborted {
					continue
				}
				if rec.Offset >= stable {
					hiddenCopies[k]++
					continue
				}
				copies[k]++
				if firstSeen[out][k] {
					continue
				}
				firstSeen[out][k] = true
				if high, ok := highest[k.partition]; ok && k.offset < high {
					n.Reordered++
				} else {
					highest[k.partition] = k.offset
				}
			}
		}
	}
	for _, c := range copies {
		if c > 1 {
			n.Duplicates += uint64(c - 1)
			n.DuplicatedInputs++
		}
	}
	for k := range input {
		switch {
		case copies[k] > 0:
			n.Unique++
		case hiddenCopies[k] > 0:
			n.Hidden++
		case layout.ProducerOnly || k.offset < position[k.partition]: // in every topic
			n.Lost++
		default:
			n.Unprocessed++
		}
	}
	if len(layout.Further) > 0 {
		n.Split = splitOf(input, copies, hiddenCopies)
	}
	return n
}

// tpo is a place in the input, and the topic that its output is due in.
type tpo struct {
	topic     string
	partition int32
	offset    int64
}

func keyOf(layout harness.PipelineLayout, topic string, rec observation.Record) tpo {
	if layout.ProducerOnly {
		return tpo{topic, int32(rec.Sequence % parts), int64(rec.Sequence / parts)}
	}
	return tpo{topic, rec.Partition, rec.Origin.Offset}
}

// splitOf counts the inputs that one topic has and another, in which they are not hidden, has not.
func splitOf(input map[tpo]bool, copies, hiddenCopies map[tpo]int) *uint64 {
	type place struct {
		partition int32
		offset    int64
	}
	seen, missing := map[place]bool{}, map[place]bool{}
	for k := range input {
		at := place{k.partition, k.offset}
		seen[at] = seen[at] || copies[k] > 0
		missing[at] = missing[at] || copies[k]+hiddenCopies[k] == 0
	}
	n := uint64(0)
	for at := range seen {
		if seen[at] && missing[at] {
			n++
		}
	}
	return &n
}

// inputsOf lists what a row had to deliver: what the source was told is stored, or what the input log holds.
func inputsOf(w *world, layout harness.PipelineLayout) map[tpo]bool {
	input := map[tpo]bool{}
	if layout.ProducerOnly {
		for _, e := range w.hist("source-acks1").entries {
			if a, ok := e.(*history.Acked); ok {
				for _, r := range a.Runs {
					for i := range r.Count {
						seq := r.First + i*r.Stride
						input[tpo{layout.Output, int32(seq % parts), int64(seq / parts)}] = true
					}
				}
			}
		}
		return input
	}
	for p := range int32(parts) {
		fates, stable := fatesOf(w.log(inTopic, p))
		for i, b := range w.log(inTopic, p).batches {
			for _, rec := range b.Records {
				if !layout.ReadCommitted || fates[i] != aborted && rec.Offset < stable {
					for _, topic := range layout.Outputs() {
						input[tpo{topic, p, rec.Offset}] = true
					}
				}
			}
		}
	}
	return input
}

// fatesOf looks, for every batch, for the next marker of its producer.
func fatesOf(l *topicLog) (fates map[int]visibility, stable int64) {
	fates, stable = map[int]visibility{}, l.next
	for i, b := range l.batches {
		if !b.Transactional || b.Control {
			continue
		}
		fates[i] = hidden
		for _, m := range l.batches[i:] {
			if m.Control && m.ProducerID == b.ProducerID {
				fates[i] = visible
				if m.Marker == observation.MarkerAbort {
					fates[i] = aborted
				}
				break
			}
		}
		if fates[i] == hidden {
			stable = min(stable, b.First)
		}
	}
	return fates, stable
}

// disturb does something bad to an output log: drops, copies, swaps and empties batches, aborts or leaves out markers,
// or writes a batch of a new producer, in a transaction or outside.
func disturb(t *rapid.T, w *world, topic string) {
	l := w.log(topic, int32(rapid.IntRange(0, parts-1).Draw(t, "partition")))
	if len(l.batches) < 2 {
		return
	}
	i := rapid.IntRange(0, len(l.batches)-1).Draw(t, "batch")
	j := rapid.IntRange(0, len(l.batches)-1).Draw(t, "other")
	clone := func(b *observation.Batch) *observation.Batch {
		c := *b
		c.Records = append([]observation.Record(nil), b.Records...)
		return &c
	}
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		l.batches = append(l.batches[:i:i], l.batches[i+1:]...)
	case 1:
		l.batches = append(l.batches, clone(l.batches[i]))
	case 2:
		l.batches[i], l.batches[j] = l.batches[j], l.batches[i]
	case 3:
		if n := len(l.batches[i].Records); n > 0 {
			l.dropRecord(l.batches[i], rapid.IntRange(0, n-1).Draw(t, "record"))
			return
		}
	case 4:
		if l.batches[i].Control {
			l.batches[i].Marker = observation.MarkerAbort
		}
	case 5:
		c := clone(l.batches[i])
		c.ProducerID, c.BaseSequence, c.Transactional = int64(rapid.IntRange(900, 903).Draw(t, "pid")), -1, transactional(topic)
		if !c.Control {
			l.batches = append(l.batches, c)
		}
	case 6:
		if transactional(topic) {
			m := observation.Marker(rapid.IntRange(1, 2).Draw(t, "marker"))
			l.batches = append(l.batches, marker(int64(rapid.IntRange(900, 903).Draw(t, "pid")), m))
		}
	}
	l.renumber()
}

func transactional(topic string) bool { return topic != "out-"+srcName && topic != "out-"+plainName }

// TestAgainstOracle draws disturbed runs and compares every number that the log decides.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := fanWorld(90)
		for _, topic := range w.record.Plan.Outputs() {
			for range rapid.IntRange(0, 5).Draw(rt, "disturbances") {
				disturb(rt, w, topic)
			}
		}
		w.hist("observer-samples").entries = nil
		w.extra = w.positions()
		for i := range w.extra {
			// Positions that go back prove nothing of what was committed: the confirmed commits still count.
			w.extra[i].Offset = rapid.Int64Range(-1, 40).Draw(rt, "position")
		}
		position := map[string]map[int32]int64{"g-plain": {}, "g-txn": {}, "g-fan": {}}
		for _, p := range w.extra {
			position[p.Group][p.Partition] = max(p.Offset, 30)
		}
		report := w.judge(t)
		require.Empty(rt, report.Inconclusive, "no figure contradicts another")
		for _, layout := range w.record.Plan.Pipelines {
			got := rowOf(t, report, layout.Name).Numbers
			requireSame(rt, oracle(w, layout, position[layout.Group]), got)
			requireSameCauses(rt, w, layout, position[layout.Group], got)
		}
		again, err := Judge(w.save(t))
		require.NoError(rt, err)
		require.Equal(rt, asJSON(t, report), asJSON(t, again))
	})
}

func requireSame(t *rapid.T, want, got harness.Numbers) {
	var by uint64
	for _, n := range got.DuplicatesBy {
		by += n
	}
	require.Equal(t, got.Duplicates, by)
	by = 0
	for _, n := range got.LostBy {
		by += n
	}
	require.Equal(t, got.Lost, by)
	require.Equal(t, got.Input, got.Unique+got.Lost+got.Unprocessed+got.Hidden)
	pick := func(n harness.Numbers) []uint64 {
		return []uint64{n.Input, n.Unique, n.Duplicates, n.DuplicatedInputs, n.Lost, n.Unprocessed, n.Hidden, n.Reordered}
	}
	require.Equal(t, want.Split, got.Split)
	require.Equal(t, pick(want), pick(got), "input, unique, duplicates, duplicated inputs, lost, unprocessed, hidden, reordered")
}
