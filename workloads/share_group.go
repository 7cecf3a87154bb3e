package workloads

import (
	"context"
	"errors"

	"github.com/chaeos/chaeos/harness"
)

// shareGroup is a queue as Kafka has them since 4.2 (KIP-932): the brokers hand single records to whichever member asks,
// lock them, and hand out again what was not acknowledged; there are no committed offsets. Outputs are produced
// idempotently and flushed before their inputs are acknowledged.
//
// It claims at-least-once. What a worker had in hand when it dies is released with its connection, what it holds for
// longer than the lock (30 s) by itself; both are delivered again, also where the outputs were stored already. It breaks
// because a record is delivered only so often (group.share.delivery.count.limit, five times): one whose workers die
// that often before they acknowledge it is archived, and nobody gets it any more. A program that poisons its workers
// loses the poison, and what they held beside it.
func shareGroup() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "share-group",
			Claims:     harness.AtLeastOnce,
			About:      "a share group (KIP-932): poll, produce, flush, then acknowledge each record",
			ShareGroup: true,
			Deviations: []string{"a share group: no committed offsets, the brokers hand out single records; share.acknowledgement.mode=explicit"},
			Phases:     []string{PhasePolled, PhaseProcessed, PhaseFlushed, PhaseCommitting, PhaseCommitted},
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
		breaksWhen: "its workers die, or stand still past the lock, as often as a record is delivered at most (five times)",
		cost:       "records twice at deaths and expired locks; records of a partition out of order",
	}
}

// sharing polls, works and acknowledges until the worker must stop. Leaving the group releases what is still locked.
func sharing(ctx context.Context, w *worker) (err error) {
	c, err := w.openShared(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for w.stopping.Err() == nil {
		inputs, err := c.poll(ctx)
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

func finishAndAcknowledge(ctx context.Context, c *client, inputs []input) error {
	if err := workAndStore(ctx, c, inputs); err != nil {
		return err
	}
	if err := c.w.gates.reach(ctx, PhaseFlushed, len(inputs)); err != nil {
		return err
	}
	if err := c.acknowledge(ctx, inputs); err != nil {
		return err
	}
	return c.w.gates.reach(ctx, PhaseCommitted, 0)
}
