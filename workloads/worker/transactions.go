package workloads

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
)

// ending is what the callbacks inside the end of a transaction saw.
type ending struct {
	offsets []history.PartitionOffset
	// asked says that a request to end went out; abandoned, that the producer id was fetched anew after that: the session
	// does so when the answer was an error that proves nothing, and then reports a clean abort.
	asked, abandoned atomic.Bool
}

// saw takes note of a request that was written while the transaction was being ended.
func (e *ending) saw(key int16) {
	switch key {
	case int16(kmsg.EndTxn):
		e.asked.Store(true)
	case int16(kmsg.InitProducerID):
		e.abandoned.Store(e.asked.Load())
	}
}

// begin opens the next transaction.
func (c *client) begin() error {
	if err := c.session.Begin(); err != nil {
		return err
	}
	c.w.txn++
	return c.w.record(&history.TxnBegin{At: history.Now(), Txn: c.w.txn})
}

// end ends the open transaction and reports whether it committed. After an error its outcome is unknown and the session
// can't be used again: no error of GroupTransactSession.End is retryable.
func (c *client) end(ctx context.Context, commit bool) (committed bool, err error) {
	txn := c.w.txn
	if err := c.w.record(append(c.outputs.take(), &history.TxnEnding{At: history.Now(), Txn: txn, Commit: commit})...); err != nil {
		return false, err
	}
	if commit {
		if err := c.w.gates.reach(ctx, PhaseCommitting, 0); err != nil {
			return false, err
		}
	}
	c.ending.offsets = nil
	c.ending.asked.Store(false)
	c.ending.abandoned.Store(false)
	committed, err = c.session.End(kgo.PreTxnCommitFnContext(ctx, c.recordTxnCommitting), kgo.TransactionEndTry(commit))
	if herr := c.w.record(c.ended(txn, commit, committed, err)...); herr != nil {
		return committed, herr
	}
	return committed, err
}

// ended builds the entries for the outcome. The session doesn't tell how the offsets fared by themselves, so they are
// confirmed only with the transaction.
func (c *client) ended(txn uint64, asked, committed bool, err error) []history.Entry {
	e := &history.TxnEnded{At: history.Now(), Txn: txn, Commit: asked, Outcome: history.OutcomeUnknown}
	switch {
	case err != nil:
		e.Reason = err.Error()
	case asked && !committed && c.ending.abandoned.Load():
		e.Reason = "the commit was answered with an error that proves nothing, and abandoned"
	default:
		e.Commit, e.Outcome = committed, history.OutcomeConfirmed
	}
	if len(c.ending.offsets) == 0 {
		return []history.Entry{e}
	}
	offsets := &history.Committed{At: e.At, Txn: txn, Offsets: c.ending.offsets, Reason: e.Reason}
	if committed {
		offsets.Outcome = history.OutcomeConfirmed
	}
	return []history.Entry{offsets, e}
}

// recordTxnCommitting runs just before the offsets are sent into the transaction.
func (c *client) recordTxnCommitting(req *kmsg.TxnOffsetCommitRequest) error {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c.ending.offsets = append(c.ending.offsets, history.PartitionOffset{Partition: p.Partition, Offset: p.Offset})
		}
	}
	return c.w.record(&history.Committing{At: history.Now(), Txn: c.w.txn, Offsets: c.ending.offsets})
}

// wire watches a transaction's requests. It is also the gate between the offsets and the end: it stops the answer to
// the offsets on its way to the session. The coordinator's connection stands still meanwhile, heartbeats included.
type wire struct {
	ctx context.Context //nolint:containedctx // a kgo hook gets no context of its own
	c   *client
}

var _ kgo.HookBrokerE2E = (*wire)(nil)

// OnBrokerE2E runs before the answer is handed to who waits for it.
func (h *wire) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	h.c.ending.saw(key)
	if key == int16(kmsg.InitProducerID) {
		h.c.note(h.c.w.producerInit(e2e))
	}
	if key == int16(kmsg.TxnOffsetCommit) && e2e.Err() == nil {
		logged(h.c.w.gates.reach(h.ctx, PhaseOffsetsSent, 0))
	}
}

// producerInit is the entry for a request for a producer id.
func (w *worker) producerInit(e2e kgo.BrokerE2E) *history.ProducerInit {
	now := history.Now()
	e := &history.ProducerInit{At: now, Asked: now.Add(-e2e.DurationE2E()), TransactionalID: w.spec.TransactionalID}
	if err := e2e.Err(); err != nil {
		e.Error = err.Error()
	}
	return e
}

// reopenPause is the wait before a failed session is replaced.
const reopenPause = 200 * time.Millisecond
