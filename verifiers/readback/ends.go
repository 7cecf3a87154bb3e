package readback

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// ends are one partition's log start, last stable offset and high watermark.
type ends struct {
	leader         brokers.Leader
	start, lso, hw int64
}

func tpOf(p *observation.Partition) brokers.TP {
	return brokers.TP{Topic: p.Topic, Partition: p.Partition}
}

func (r *reading) captureEnds(ctx context.Context, p *observation.Partition) error {
	e, err := askEnds(ctx, r.client, r.leaders, tpOf(p))
	if err != nil {
		fail(p, fmt.Errorf("its ends could not be learnt: %w", err))
		return nil
	}
	p.Leader, p.LeaderEpoch = e.leader.Broker, e.leader.Epoch
	p.LogStart, p.LSO, p.HW = e.start, e.lso, e.hw
	return nil
}

// endsAfter asks for the ends again; where one moved, the batch at the old end names the writer.
func (r *reading) endsAfter(ctx context.Context, p *observation.Partition) error {
	if p.HW < 0 {
		return nil
	}
	e, err := askEnds(ctx, r.client, r.leaders, tpOf(p))
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
	return r.leaders.ask(ctx, tpOf(p), func(leader brokers.Leader) error {
		got, err := fetch(ctx, r.client, leader, fetchAsk{tp: tpOf(p), offset: p.HW})
		if err != nil {
			return err
		}
		return w.walk(got.batches)
	})
}

// askEnds asks the current leader, insisting on its epoch, for all three ends.
func askEnds(ctx context.Context, client *kgo.Client, l *leaders, tp brokers.TP) (e ends, err error) {
	err = l.ask(ctx, tp, func(leader brokers.Leader) error {
		e.leader = leader
		questions := []struct {
			to        *int64
			isolation int8
			timestamp int64
		}{{&e.start, 0, brokers.Earliest}, {&e.lso, 1, brokers.Latest}, {&e.hw, 0, brokers.Latest}}
		for _, q := range questions {
			ask := brokers.Ask{Isolation: q.isolation, Timestamp: q.timestamp, Partitions: map[brokers.TP]int32{tp: leader.Epoch}}
			answers, err := brokers.ListOffsets(ctx, client, leader.Broker, ask)
			if err != nil {
				return err
			}
			a, ok := answers[tp]
			if !ok {
				return fmt.Errorf("broker %d did not answer for %s", leader.Broker, tp)
			}
			if a.Err != nil {
				return fmt.Errorf("broker %d, %s: %w", leader.Broker, tp, a.Err)
			}
			*q.to = a.Offset
		}
		return nil
	})
	return e, err
}
