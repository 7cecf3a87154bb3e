package workloads

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// transaction writes the block in hand in one transaction. After an error the session is lost, and the topic has to say
// whether the block was committed.
func (t *transacting) transaction(ctx context.Context) error {
	t.txn++
	if err := t.record(&history.TxnBegin{At: history.Now(), Txn: t.txn}); err != nil {
		return err
	}
	if err := t.store(ctx); err != nil {
		return t.lost(ctx, err)
	}
	if err := t.gates.reach(ctx, PhaseFlushed, len(t.open.records)); err != nil {
		return err
	}
	if err := t.maybeTakenOver(ctx); err != nil {
		return err
	}
	if err := t.record(&history.TxnEnding{At: history.Now(), Txn: t.txn, Commit: true}); err != nil {
		return err
	}
	if err := t.gates.reach(ctx, PhaseCommitting, len(t.open.records)); err != nil {
		return err
	}
	if err := t.kafka.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return t.lost(ctx, err)
	}
	if err := t.record(&history.TxnEnded{At: history.Now(), Txn: t.txn, Commit: true, Outcome: history.OutcomeConfirmed}); err != nil {
		return err
	}
	for i, r := range t.open.records {
		t.ackOne(r.Partition, t.open.first+uint64(i), t.open.offsets[i])
	}
	t.open = nil
	return t.gates.reach(ctx, PhaseCommitted, 0)
}

// lost records that the transaction's outcome is not known, and says that only a new session can go on.
func (t *transacting) lost(ctx context.Context, err error) error {
	e := &history.TxnEnded{At: history.Now(), Txn: t.txn, Commit: true, Outcome: history.OutcomeUnknown, Reason: err.Error()}
	if herr := t.record(e); herr != nil {
		return herr
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &sessionError{err}
}

// store begins a transaction and stores the block's records in it.
func (t *transacting) store(ctx context.Context) error {
	if err := t.kafka.BeginTransaction(); err != nil {
		return err
	}
	offsets, results := make([]int64, len(t.open.records)), make(chan error, len(t.open.records))
	t.open.offsets = offsets
	for i, r := range t.open.records {
		again := *r // a record belongs to the client it was given to
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

// maybeTakenOver lets a rival take the id, where it is time for that.
func (t *transacting) maybeTakenOver(ctx context.Context) error {
	if t.takeOverEvery == 0 || history.Now().Sub(t.tookOver) < t.takeOverEvery {
		return nil
	}
	rival, err := t.take(ctx)
	if err != nil {
		return err
	}
	t.rival, t.tookOver = rival, history.Now()
	return nil
}
