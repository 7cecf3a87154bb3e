package verifiers

import (
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// drawnRecords are few: an oracle is slow, and a drawn fault must meet another.
const drawnRecords = 90

const notifyName = "notify"

// fullWorld is a clean run with a row of each kind.
func fullWorld() *world {
	w := makeWorld(drawnRecords, fanLayout, shareLayout, harness.PipelineLayout{
		PipelineInfo: harness.PipelineInfo{Name: notifyName, Claims: harness.ExactlyOnce, Transactional: true, ReadCommitted: true},
		Output:       "out-" + notifyName, Group: "g-notify",
	})
	w.fillShare()
	w.record.Plan.Pipelines[len(w.record.Plan.Pipelines)-1].Effects = true
	w.makeEffects("out-" + notifyName)
	return w
}

// outputs are the topics of all rows, and what stands for one where a service was called.
func (w *world) outputs() (all []string) {
	for _, l := range w.record.Plan.Pipelines {
		all = append(all, l.Outputs()...)
	}
	return all
}

// drawnWorld is a run in which logs, histories, samples and positions say anything.
func drawnWorld(t *rapid.T) *world {
	w := fullWorld()
	w.record.Plan.Pipelines[2].ReadUncommittedOutput = rapid.IntRange(0, 3).Draw(t, "readers") == 0
	times := func(most int, name string, do func()) {
		for range rapid.IntRange(0, most).Draw(t, name) {
			do()
		}
	}
	for _, topic := range w.outputs() {
		times(4, "log disturbances", func() { disturb(t, w, topic) })
	}
	times(2, "strange records", func() { drawStrange(t, w, rapid.SampledFrom(w.outputs()).Draw(t, "topic")) })
	times(2, "input disturbances", func() { drawInput(t, w) })
	for _, name := range []string{plainName, txnName, fanName, shareName, notifyName} {
		times(2, "rereads", func() { drawReread(t, w, name) })
		// These come last: a history that was cut says nothing more.
		times(4, "history disturbances", func() { drawHistory(t, w.hist(name+"-0")) })
	}
	for _, name := range []string{"source-input", "source-acks1"} {
		times(4, "source disturbances", func() { drawSource(t, w.hist(name)) })
	}
	for topic := range topicsOf(w) {
		times(2, "elections", func() { drawElection(t, w, topic) })
	}
	times(2, "deletions", func() { drawDeletion(t, w) })
	drawPositions(t, w)
	drawSamples(t, w)
	drawSeen(t, w)
	if rapid.Bool().Draw(t, "apart") {
		spread(w)
	}
	return w
}

// drawPositions are what the brokers said at the end: also what no confirmed commit says, and nothing at all.
func drawPositions(t *rapid.T, w *world) {
	w.extra = w.positions()
	for i := range w.extra {
		if rapid.IntRange(0, 2).Draw(t, "stands") == 0 {
			w.extra[i].Offset = rapid.SampledFrom([]int64{-1, 0, 5, 10, 20, 25, 30, 40}).Draw(t, "position")
		}
	}
	unread := ask.TopicPartition{}
	if rapid.IntRange(0, 5).Draw(t, "read to the end") == 0 {
		unread = ask.TopicPartition{Topic: rapid.SampledFrom(w.outputs()).Draw(t, "unread"), Partition: int32(rapid.IntRange(0, parts-1).Draw(t, "partition"))}
	}
	w.tweak = func(x *observation.Index) {
		if p := x.Partition(unread.Topic, unread.Partition); p != nil {
			p.Complete = false
		}
		for at, start := range w.deleted {
			x.Partition(at.Topic, at.Partition).LogStart = start
		}
	}
}

// spread numbers the transactions so that no two are looked into together.
func spread(w *world) {
	for _, f := range w.files {
		for _, e := range f.entries {
			switch e := e.(type) {
			case *history.TxnBegin:
				e.Txn *= txns.BlockSize
			case *history.Outputs:
				e.Txn *= txns.BlockSize
			case *history.Committing:
				e.Txn *= txns.BlockSize
			case *history.Committed:
				e.Txn *= txns.BlockSize
			case *history.TxnEnding:
				e.Txn *= txns.BlockSize
			case *history.TxnEnded:
				e.Txn *= txns.BlockSize
			}
		}
	}
	done := map[*observation.Record]bool{} // batches may share their records
	for _, l := range w.logs {
		for _, b := range l.batches {
			for i := range b.Records {
				if r := &b.Records[i]; !done[r] {
					done[r] = true
					r.Txn *= txns.BlockSize
				}
			}
		}
	}
}
