package readback

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// ends are one partition's log start, last stable offset and high watermark.
type ends struct {
	leader         ask.Leader
	start, lso, hw int64
}

func tpOf(p *observation.Partition) ask.TopicPartition {
	return ask.TopicPartition{Topic: p.Topic, Partition: p.Partition}
}

func (r *reading) captureEnds(ctx context.Context, p *observation.Partition) error {
	e, err := r.askEnds(ctx, tpOf(p))
	if err != nil {
		fail(p, fmt.Errorf("its ends could not be learnt: %w", err))
		return nil
	}
	p.Leader, p.LeaderEpoch = int32(e.leader.Node), e.leader.Epoch
	p.LogStart, p.LSO, p.HW = e.start, e.lso, e.hw
	return nil
}

// endsAfter asks for the ends again. Where one moved, the batch at the old end names the writer.
func (r *reading) endsAfter(ctx context.Context, p *observation.Partition) error {
	if p.HW < 0 {
		return nil
	}
	e, err := r.askEnds(ctx, tpOf(p))
	if err != nil {
		fail(p, fmt.Errorf("its ends could not be asked again: %w", err))
		return nil
	}
	p.HWAfter, p.LSOAfter = e.hw, e.lso
	if e.hw <= p.HW {
		return nil
	}
	w := walker{next: p.HW, end: e.hw, take: func(b *observation.Batch) error {
		if p.Writer == "" {
			p.Writer = fmt.Sprintf("producer id %d epoch %d (control %t) at offset %d, %s",
				b.ProducerID, b.ProducerEpoch, b.Control, b.First, time.UnixMilli(b.MaxTimestamp).UTC().Format(time.RFC3339Nano))
		}
		return nil
	}}
	return r.leaders.ask(ctx, tpOf(p), func(leader ask.Leader) error {
		got, err := fetch(ctx, r.brokers, leader, question{tp: tpOf(p), offset: p.HW})
		if err != nil {
			return err
		}
		return w.walk(got.batches)
	})
}

// askEnds asks the current leader, insisting on its epoch, for all three ends.
func (r *reading) askEnds(ctx context.Context, tp ask.TopicPartition) (e ends, err error) {
	err = r.leaders.ask(ctx, tp, func(leader ask.Leader) error {
		e.leader = leader
		for _, q := range []struct {
			which ask.LogOffset
			to    *int64
		}{{ask.LogStart, &e.start}, {ask.LastStableOffset, &e.lso}, {ask.HighWatermark, &e.hw}} {
			offsets, err := r.brokers.Offsets(ctx, leader.Node, q.which, map[ask.TopicPartition]int32{tp: leader.Epoch})
			if err != nil {
				return err
			}
			*q.to = offsets[tp]
		}
		return nil
	})
	return e, err
}
