package verifiers

import (
	"testing"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// shortInput takes the first batches of an input partition away, as deleting records below offset 100 does.
func (w *world) shortInput() {
	l := w.log(inTopic, 1)
	l.batches = l.batches[10:]
	w.tweak = func(x *observation.Index) { x.Partition(inTopic, 1).LogStart = 100 }
}

// lastCommit makes the last commit of the plain row's input partition 1 one whose outcome was never learnt.
func (w *world) lastCommit(outcome history.Outcome) {
	for _, e := range w.hist("idempotent-0").entries {
		if c, ok := e.(*history.Committed); ok && c.Offsets[0] == (history.PartitionOffset{Partition: 1, Offset: 1000}) {
			c.Outcome = outcome
		}
	}
}

// firstOutputs changes what the plain row's worker learnt of its first outputs in partition 2.
func (w *world) firstOutputs(outcome history.Outcome) {
	for _, e := range w.hist("idempotent-0").entries {
		if o, ok := e.(*history.Outputs); ok && o.Counts[0].Partition == 2 {
			o.Outcome = outcome
			return
		}
	}
}

// settledFaults are what makes a row inconclusive by itself, and unknown outcomes that only the log can settle.
var settledFaults = []planted{
	{"too little after the fault", func(w *world) { w.fault(1000, 2995) }, plainName, nil, harness.Inconclusive, 4, "0 records became visible after the last heal, 100 are needed"},
	{"an input's start that moved without a fault", (*world).shortInput, plainName, func(n *figures) {
		n.Input, n.Unique, n.AckedAbsent, n.AckedAbsentBy, n.Unmatched = records-100, records-100, 100, map[string]uint64{"deleted": 100}, 100
	}, harness.Inconclusive, 3, "in/1 starts at offset 100, and no fault deletes records"},
	{"an input's start that a recorded fault moved", func(w *world) {
		w.shortInput()
		f := w.fault(1000, 2000)
		f.Fault, f.Lasting = "delete-records", []harness.Lasting{{What: harness.LogStartMoved, Topic: inTopic, Partition: 1, To: 100}}
	}, plainName, nil, harness.Held, 0, "in/1 starts at offset 100: moved by delete-records leader of output/0"},
	{"a truncated source history", func(w *world) { w.cut["history/source-acks1.hist"] = 100 }, srcName, nil, harness.Inconclusive, 4, "history/source-acks1.hist has lost 100 of"},
	{"a truncated observer history", func(w *world) { w.cut["history/observer-samples.hist"] = 100 }, txnName, nil, harness.Inconclusive, 4, "history/observer-samples.hist has lost 100 of"},
	{"an input whose end moved", func(w *world) {
		w.tweak = func(x *observation.Index) {
			p := x.Partition(inTopic, 1)
			p.HWAfter, p.LSOAfter, p.Writer = p.HW+1, p.LSO+1, "producer id 100 epoch 0"
		}
	}, txnName, nil, harness.Inconclusive, 4, "in/1: its end moved from 1000 to 1001 while it was read"},
	{"sent without acknowledgements, and not there", func(w *world) {
		w.hist("source-acks1").add(&history.Intent{Stamp: history.At(at(2999)), First: 3000, Count: 6},
			&history.Resolved{Stamp: history.At(at(2999)), Sent: true, Spans: []history.SequenceSpan{{First: 3000, Stride: 1, Count: 6}}})
	}, srcName, func(n *figures) {
		n.Input, n.Lost, n.LostBy, n.NeverLive = records+6, 6, map[string]uint64{"sent but absent": 6}, 6
	}, harness.Violated, 3, "6 of 3,006 sent records are not in the log (sent but absent 6), e.g. source 1 sequence 3000 (sent with acks=0: no acknowledgement was asked for)"},
	{"an unknown commit that half happened", func(w *world) {
		for _, e := range w.hist("transactional-0").entries {
			if x, ok := e.(*history.TxnEnded); ok && x.Txn == 7 {
				x.Outcome = history.OutcomeUnknown
			}
		}
		w.log("out-"+txnName, 1).batches[13].Marker = observation.MarkerAbort
	}, txnName, func(n *figures) {
		n.Unknown, n.UnknownHappened, n.UnknownCommits, n.UnknownCommitsHappened = 1, 1, 1, 1
		n.Unique, n.Lost, n.Torn, n.LostBy = records-10, 10, u(1), map[string]uint64{"aborted": 10}
	}, harness.Violated, 3, "unknown, half happened: committed and aborted"},
	{"an unknown offset commit that happened", func(w *world) { w.lastCommit(history.OutcomeUnknown) }, plainName, func(n *figures) {
		n.Unknown, n.UnknownHappened, n.UnknownCommits, n.UnknownCommitsHappened = 1, 1, 1, 1
	}, harness.Held, 0, "of 1 commits 1 happened and 0 did not"},
	{"an unknown offset commit that did not happen", func(w *world) {
		w.lastCommit(history.OutcomeUnknown)
		w.extra = w.positions()
		w.extra[1].Offset = 990
	}, plainName, func(n *figures) { n.Unknown, n.UnknownDidNot, n.UnknownCommits = 1, 1, 1 }, harness.Held, 0, "of 1 commits 0 happened and 1 did not"},
	{"unknown outputs that happened", func(w *world) { w.firstOutputs(history.OutcomeUnknown) }, plainName, func(n *figures) {
		n.Unknown, n.UnknownHappened = perBatch, perBatch
	}, harness.Held, 0, "of 10 produces 10 happened and 0 did not"},
	{"unknown outputs that are lost", func(w *world) {
		w.firstOutputs(history.OutcomeUnknown)
		b := w.log("out-"+plainName, 2).batches[0]
		for len(b.Records) > 4 {
			w.log("out-"+plainName, 2).dropRecord(b, 0)
		}
	}, plainName, func(n *figures) {
		n.Unknown, n.UnknownHappened, n.UnknownDidNot = perBatch, 4, 6
		n.Unique, n.Lost, n.LostBy = records-6, 6, map[string]uint64{"skipped": 6}
	}, harness.Violated, 3, "of 10 produces 4 happened and 6 did not"},
}

func TestSettledFaults(t *testing.T) {
	for _, c := range settledFaults {
		t.Run(c.name, c.try)
	}
}
