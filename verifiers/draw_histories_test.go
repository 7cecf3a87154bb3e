package verifiers

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness/history"
)

func drawOutcome(t *rapid.T) history.Outcome {
	return rapid.SampledFrom([]history.Outcome{history.OutcomeUnknown, history.OutcomeConfirmed, history.OutcomeFailed}).Draw(t, "outcome")
}

// drawHistory changes what a worker learnt of one request, or how far its history goes.
func drawHistory(t *rapid.T, f *histFile) {
	if len(f.entries) == 0 {
		return
	}
	i := rapid.IntRange(0, len(f.entries)-1).Draw(t, "entry")
	if rapid.IntRange(0, 7).Draw(t, "killed") == 0 {
		f.entries, f.noEnd, f.record.Killed = f.entries[:i:i], true, true
		return
	}
	kinds := map[int]func(history.Entry) bool{
		0: func(e history.Entry) bool { _, ok := e.(*history.Outputs); return ok },
		1: func(e history.Entry) bool { _, ok := e.(*history.Committed); return ok },
		2: func(e history.Entry) bool { _, ok := e.(*history.TxnEnded); return ok },
		3: func(e history.Entry) bool { _, ok := e.(*history.Acknowledged); return ok },
	}
	is := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	next := slices.IndexFunc(f.entries[i:], is)
	if next < 0 {
		return
	}
	i += next
	switch e := f.entries[i].(type) {
	case *history.Outputs:
		drawOutputs(t, f, i, e)
	case *history.Committed:
		drawCommit(t, f, i, e)
	case *history.TxnEnded:
		drawEnd(t, f, i, e)
	case *history.Acknowledged:
		drawAcknowledged(t, f, i, e)
	}
}

// drawAcknowledged gives an acknowledgement to a share group another outcome, other records, or no answer.
func drawAcknowledged(t *rapid.T, f *histFile, i int, e *history.Acknowledged) {
	switch rapid.IntRange(0, 2).Draw(t, "acknowledged") {
	case 0:
		e.Outcome = drawOutcome(t)
	case 1:
		x := e.Ranges[0]
		x.To = rapid.Int64Range(x.From, x.To).Draw(t, "up to")
		e.Ranges = []history.OffsetRange{x}
	case 2:
		f.entries = slices.Delete(slices.Clone(f.entries), i, i+1)
	}
}

// drawOutputs gives some or all of the outputs another outcome.
func drawOutputs(t *rapid.T, f *histFile, i int, e *history.Outputs) {
	outcome := drawOutcome(t)
	some := rapid.SampledFrom(e.Counts).Draw(t, "partition")
	n := rapid.Uint64Range(0, some.Count).Draw(t, "how many")
	if n == 0 {
		e.Outcome = outcome
		return
	}
	rest := *e
	rest.Counts = slices.Clone(e.Counts)
	rest.Counts[slices.Index(e.Counts, some)].Count -= n
	other := &history.Outputs{Stamp: history.At(e.At), Txn: e.Txn, Outcome: outcome, Counts: []history.PartitionCount{{Partition: some.Partition, Count: n}}}
	f.entries = slices.Replace(slices.Clone(f.entries), i, i+1, history.Entry(&rest), history.Entry(other))
}

// drawCommit gives a commit another outcome, other positions, or no answer.
func drawCommit(t *rapid.T, f *histFile, i int, e *history.Committed) {
	switch rapid.IntRange(0, 2).Draw(t, "commit") {
	case 0:
		e.Outcome = drawOutcome(t)
	case 1:
		e.Offsets = slices.Clone(e.Offsets)
		e.Offsets[0].Offset = rapid.SampledFrom([]int64{0, 5, 10, 20, 25, 30, 40}).Draw(t, "to")
	case 2:
		f.entries = slices.Delete(slices.Clone(f.entries), i, i+1)
	}
}

// drawEnd gives the end of a transaction another outcome, makes it an abort, takes the answer away, or the request, too.
func drawEnd(t *rapid.T, f *histFile, i int, e *history.TxnEnded) {
	asked := slices.IndexFunc(f.entries, func(x history.Entry) bool { a, ok := x.(*history.TxnEnding); return ok && a.Txn == e.Txn })
	switch rapid.IntRange(0, 3).Draw(t, "end") {
	case 0:
		e.Outcome = drawOutcome(t)
	case 1:
		e.Commit = false
		if e.Outcome == history.OutcomeUnknown {
			e.Outcome = history.OutcomeConfirmed
		}
		if asked >= 0 && rapid.Bool().Draw(t, "asked for") {
			f.entries[asked].(*history.TxnEnding).Commit = false
		}
	case 2:
		f.entries = slices.Delete(slices.Clone(f.entries), i, i+1)
	case 3:
		f.entries = slices.Delete(slices.Clone(f.entries), i, i+1)
		if asked >= 0 {
			f.entries = slices.Delete(f.entries, asked, asked+1)
		}
	}
}

// drawSource gives a run of acknowledged records another end, or none, or lets the source send records that go nowhere.
func drawSource(t *rapid.T, f *histFile) {
	if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
		f.add(&history.Intent{Stamp: history.At(at(drawnRecords)), First: drawnRecords, Count: rapid.Uint64Range(1, 6).Draw(t, "count")})
		return
	}
	var acked []*history.Acked
	for _, e := range f.entries {
		if a, ok := e.(*history.Acked); ok && len(a.Spans) > 0 {
			acked = append(acked, a)
		}
	}
	if len(acked) == 0 {
		return
	}
	a := rapid.SampledFrom(acked).Draw(t, "acked")
	i := rapid.IntRange(0, len(a.Spans)-1).Draw(t, "run")
	r := &a.Spans[i]
	n := rapid.Uint64Range(1, r.Count).Draw(t, "how many")
	last := history.SequenceSpan{First: r.First + (r.Count-n)*r.Stride, Stride: r.Stride, Count: n}
	if r.Count -= n; r.Count == 0 {
		a.Spans = slices.Delete(slices.Clone(a.Spans), i, i+1)
	}
	if end := rapid.IntRange(0, 4).Draw(t, "end"); end < 4 {
		settled := &history.Resolved{Stamp: history.At(a.At), Spans: []history.SequenceSpan{last}, Sent: end == 3}
		if end < 3 {
			settled.Outcome = history.Outcome(end)
		}
		f.add(settled)
	}
}
