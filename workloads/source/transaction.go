package source

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// transaction writes the block in hand in one transaction. After an error the session is lost, and only the topic can
// tell whether the block was committed.
func (t *transacting) transaction(ctx context.Context) error {
	t.txn++
	if err := t.Record(&history.TxnBegin{Stamp: history.AtNow(), Txn: t.txn}); err != nil {
		return err
	}
	if err := t.store(ctx); err != nil {
		return t.lost(ctx, false, history.OutcomeUnknown, err)
	}
	if err := t.Gates.Reach(ctx, phase.Flushed, len(t.open.records)); err != nil {
		return err
	}
	if err := t.maybeTakenOver(ctx); err != nil {
		return err
	}
	return t.commit(ctx)
}

func (t *transacting) commit(ctx context.Context) error {
	if err := t.Record(&history.TxnEnding{Stamp: history.AtNow(), Txn: t.txn, Commit: true}); err != nil {
		return err
	}
	if err := t.Gates.Reach(ctx, phase.Committing, len(t.open.records)); err != nil {
		return err
	}
	t.ends.Reset()
	if err := t.kafka.EndTransaction(ctx, kgo.TryCommit); err != nil {
		outcome, _ := member.EndOutcome(err, t.ends.Written())
		return t.lost(ctx, true, outcome, err)
	}
	if err := t.Record(&history.TxnEnded{Stamp: history.AtNow(), Txn: t.txn, Commit: true, Outcome: history.OutcomeConfirmed}); err != nil {
		return err
	}
	for i, r := range t.open.records {
		t.ackOne(r.Partition, t.open.first+uint64(i), t.open.offsets[i])
	}
	t.open = nil
	return t.Gates.Reach(ctx, phase.Committed, 0)
}

// lost records a transaction that was not committed for all that is known, whether or not the commit was asked for, and
// returns an error that only a new session can follow.
func (t *transacting) lost(ctx context.Context, asked bool, outcome history.Outcome, err error) error {
	e := &history.TxnEnded{Stamp: history.AtNow(), Txn: t.txn, Commit: asked, Outcome: outcome, Reason: err.Error()}
	if herr := t.Record(e); herr != nil {
		return herr
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &member.SessionError{Cause: err}
}

// store begins a transaction and stores the block's records in it.
func (t *transacting) store(ctx context.Context) error {
	if err := t.kafka.BeginTransaction(); err != nil {
		return err
	}
	id, epoch, err := t.kafka.ProducerID(ctx)
	if err != nil {
		return err
	}
	err = t.Record(&history.TxnRecords{
		Stamp: history.AtNow(), Txn: t.txn, First: t.open.first, Count: uint64(len(t.open.records)), ProducerID: id, ProducerEpoch: int32(epoch),
	})
	if err != nil {
		return err
	}
	offsets, results := make([]int64, len(t.open.records)), make(chan error, len(t.open.records))
	t.open.offsets = offsets
	for i, r := range t.open.records {
		again := *r // a record belongs to the client that it was handed to
		t.kafka.Produce(ctx, &again, func(stored *kgo.Record, err error) {
			offsets[i] = stored.Offset
			results <- err
		})
	}
	if err := t.kafka.Flush(ctx); err != nil {
		return err
	}
	var failed error
	for range t.open.records {
		failed = errors.Join(failed, <-results)
	}
	return failed
}
