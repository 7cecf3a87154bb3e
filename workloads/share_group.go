package workloads

import (
	"context"
	"errors"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// shareGroup is a queue as Kafka has them since 4.2 (KIP-932): the brokers hand single records to whichever member asks,
// lock them, and hand out again what was not acknowledged; there are no committed offsets. Outputs are produced
// idempotently and flushed before their inputs are acknowledged.
//
// It claims at-least-once. When a worker dies, the records that it had in hand are released with its connection. Records
// that it holds for longer than the lock (30 s) are released by that. Both are delivered again, also if their outputs were
// stored already. The claim breaks because a record is delivered five times at most (group.share.delivery.count.limit): if
// its workers die that often before they acknowledge it, it is archived, and no worker gets it any more. A record that
// kills its workers is lost, together with the records that they held.
func shareGroup() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "share-group",
			Claims:     harness.AtLeastOnce,
			InOrder:    true,
			About:      "a share group (KIP-932): poll, produce, flush, then acknowledge each record",
			ShareGroup: true,
			Deviations: []string{"a share group: no committed offsets, the brokers hand out single records; share.acknowledgement.mode=explicit"},
			Phases:     []string{phase.Polled, phase.Processed, phase.Flushed, phase.Committing, phase.Committed},
		},
		work: sharing,
		loop: `poll                                 up to 100 records, locked for this member
-- polled --
work and produce every record
-- processed --
flush                                again, where some outputs were not stored
-- flushed --
-- committing --
acknowledge (accept) every record, wait
-- committed --                      what was refused, or never sent, is delivered again`,
		breaksWhen: "its workers die, or are paused past the lock, as often as a record is delivered at most (five times)",
		cost:       "records twice at deaths and expired locks; records of a partition out of order",
	}
}

// sharing polls, works and acknowledges until the worker must stop. Leaving the group releases what is still locked.
func sharing(ctx context.Context, w *worker.Worker) (err error) {
	c, err := w.OpenShared(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for w.Stopping.Err() == nil {
		inputs, err := c.Poll(ctx)
		if err != nil {
			return err
		}
		if len(inputs) == 0 {
			continue
		}
		if err := finishAndAcknowledge(ctx, c, inputs); err != nil {
			return err
		}
	}
	return nil
}

func finishAndAcknowledge(ctx context.Context, c *worker.Client, inputs []worker.Input) error {
	if err := worker.WorkAndStore(ctx, c, inputs); err != nil {
		return err
	}
	if err := c.Gates.Reach(ctx, phase.Flushed, len(inputs)); err != nil {
		return err
	}
	if err := c.Acknowledge(ctx, inputs); err != nil {
		return err
	}
	return c.Gates.Reach(ctx, phase.Committed, 0)
}
