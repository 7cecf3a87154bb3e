package readback

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// findOpen names the transactions that are still open in a partition, as its leader tells: those that the log shows without
// a marker, with their ids.
func (r *reading) findOpen(ctx context.Context, p *observation.Partition) error {
	if p.HW < 0 {
		return nil
	}
	err := r.leaders.ask(ctx, tpOf(p), func(leader ask.Leader) error {
		open, err := r.brokers.OpenTransactions(ctx, leader.Node, tpOf(p))
		if err != nil {
			return err
		}
		var named []observation.OpenTxn
		for _, o := range open {
			asked := time.Now().UnixMilli()
			// One without a name is still open: the name is for people, the offset decides.
			t, _ := r.brokers.TransactionOf(ctx, o.ProducerID)
			named = append(named, openTxn(o, t, asked))
		}
		if len(named) > 0 || len(p.Open) == 0 {
			p.Open = named
		}
		return nil
	})
	if err != nil {
		fail(p, fmt.Errorf("its open transactions could not be listed: %w", err))
	}
	return nil
}

// openTxn is what the partition's leader says of an open transaction, and what its coordinator does.
func openTxn(open ask.OpenTransaction, t ask.Transaction, askedMillis int64) observation.OpenTxn {
	return observation.OpenTxn{
		ProducerID: open.ProducerID, ProducerEpoch: open.ProducerEpoch, Start: open.Start, LastTimestamp: open.LastTimestamp,
		TransactionalID: t.TransactionalID, State: t.State, Coordinator: int32(t.Coordinator),
		TimeoutMillis: t.TimeoutMillis, StartMillis: t.StartMillis, AskedMillis: askedMillis,
	}
}
