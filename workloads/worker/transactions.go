package worker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// ending is what the callbacks saw while a transaction was being ended.
type ending struct {
	offsets []history.PartitionOffset
	// asked is set once a request to end was written. Abandoned is set if the producer id was fetched again after that: the
	// session does so if the answer was an error that proves nothing, and then reports a clean abort.
	asked, abandoned atomic.Bool
	// requests are those to end it.
	requests member.EndRequests
}

func (e *ending) reset() {
	e.offsets = nil
	e.asked.Store(false)
	e.abandoned.Store(false)
	e.requests.Reset()
}

// saw notes a request that was written.
func (e *ending) saw(key int16) {
	switch key {
	case int16(kmsg.EndTxn):
		e.asked.Store(true)
	case int16(kmsg.InitProducerID):
		e.abandoned.Store(e.asked.Load())
	}
}

// begin opens the session's next transaction.
func (c *Client) begin() error {
	if err := c.session.Begin(); err != nil {
		return err
	}
	return c.recordBegin()
}

func (c *Client) recordBegin() error {
	c.txn++
	return c.Record(&history.TxnBegin{Stamp: history.AtNow(), Txn: c.txn})
}

// end ends the open transaction and reports whether it committed. After an error its outcome is unknown and the session
// can't be used again: no error of GroupTransactSession.End is retryable.
func (c *Client) end(ctx context.Context, commit bool) (committed bool, err error) {
	txn := c.txn
	if err := c.Record(append(c.outputs.take(), &history.TxnEnding{Stamp: history.AtNow(), Txn: txn, Commit: commit})...); err != nil {
		return false, err
	}
	if commit {
		if err := c.Gates.Reach(ctx, phase.Committing, int(c.inHand.Load())); err != nil {
			return false, err
		}
	}
	c.ending.reset()
	committed, err = c.session.End(kgo.PreTxnCommitFnContext(ctx, c.recordTxnCommitting), kgo.TransactionEndTry(commit))
	if herr := c.Record(c.ended(txn, commit, committed, err)...); herr != nil {
		return committed, herr
	}
	return committed, err
}

// ended are the entries for the outcome. The session doesn't report on the offsets alone, so they are confirmed only with
// the transaction.
func (c *Client) ended(txn uint64, asked, committed bool, err error) []history.Entry {
	e := &history.TxnEnded{Stamp: history.AtNow(), Txn: txn, Commit: asked, Outcome: history.OutcomeUnknown}
	switch {
	case err != nil:
		e.Outcome, e.Reason = member.EndOutcome(err, c.ending.requests.Written())
	case asked && !committed && c.ending.abandoned.Load():
		e.Reason = "the commit was answered with an error that proves nothing, and abandoned"
	default:
		e.Commit, e.Outcome = committed, history.OutcomeConfirmed
	}
	if len(c.ending.offsets) == 0 {
		return []history.Entry{e}
	}
	offsets := &history.Committed{Stamp: history.At(e.At), Txn: txn, Offsets: c.ending.offsets, Reason: e.Reason}
	switch {
	case committed:
		offsets.Outcome = history.OutcomeConfirmed
	case e.Outcome == history.OutcomeFailed:
		offsets.Outcome = history.OutcomeFailed
	}
	return []history.Entry{offsets, e}
}

// recordTxnCommitting runs just before the offsets are sent into the transaction.
func (c *Client) recordTxnCommitting(req *kmsg.TxnOffsetCommitRequest) error {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			c.ending.offsets = append(c.ending.offsets, history.PartitionOffset{Partition: p.Partition, Offset: p.Offset})
		}
	}
	return c.Record(&history.Committing{Stamp: history.AtNow(), Txn: c.txn, Offsets: c.ending.offsets})
}

// wire watches a transaction's requests. It is also the phase between the offsets and the end: it holds back the answer
// to the offsets on its way to the session. The coordinator's connection stops meanwhile, heartbeats included.
type wire struct {
	ctx context.Context //nolint:containedctx // a kgo hook gets no context of its own
	c   *Client
}

var (
	_ kgo.HookBrokerE2E   = (*wire)(nil)
	_ kgo.HookBrokerWrite = (*wire)(nil)
)

// OnBrokerWrite counts the requests to end the transaction.
func (h *wire) OnBrokerWrite(b kgo.BrokerMetadata, key int16, bytes int, waited, took time.Duration, err error) {
	h.c.ending.requests.OnBrokerWrite(b, key, bytes, waited, took, err)
}

// OnBrokerE2E runs before the answer is handed to the caller that waits for it.
func (h *wire) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	h.c.ending.saw(key)
	if key == int16(kmsg.InitProducerID) {
		h.c.note(h.c.producerInit(e2e))
	}
	if key == int16(kmsg.TxnOffsetCommit) && e2e.Err() == nil {
		member.Logged(h.c.Gates.Reach(h.ctx, phase.OffsetsSent, int(h.c.inHand.Load())))
	}
}

// producerInit is the entry for a request for a producer id.
func (w *Worker) producerInit(e2e kgo.BrokerE2E) *history.ProducerInit {
	now := history.Now()
	e := &history.ProducerInit{Stamp: history.At(now), Asked: now.Add(-e2e.DurationE2E()), TransactionalID: w.Spec.TransactionalID}
	if err := e2e.Err(); err != nil {
		e.Error = err.Error()
	}
	return e
}
