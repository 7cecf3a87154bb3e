package worker

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// refusals collects the brokers' errors to acknowledgements, by partition: the first since they were taken.
type refusals struct {
	mu sync.Mutex
	by map[int32]error
}

func (r *refusals) add(_ *kgo.Client, results kgo.ShareAckResults) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range results {
		if r.by == nil {
			r.by = map[int32]error{}
		}
		if x.Err != nil && r.by[x.Partition] == nil {
			r.by[x.Partition] = x.Err
		}
	}
}

func (r *refusals) take() map[int32]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.by
	r.by = nil
	return taken
}

// Acknowledge accepts the inputs of a share group, and returns when the brokers' answers are known and recorded. A refusal
// is no error: the records were released, and a member gets them again.
func (c *Client) Acknowledge(ctx context.Context, inputs []Input) error {
	ranges := rangesOf(inputs)
	if err := c.Record(append(c.outputs.take(), &history.Acknowledging{Stamp: history.AtNow(), Ranges: ranges})...); err != nil {
		return err
	}
	if err := c.Gates.Reach(ctx, phase.Committing, len(inputs)); err != nil {
		return err
	}
	c.refused.take()
	for _, in := range inputs {
		in.delivery.Ack(kgo.AckAccept)
	}
	if err := c.kafka.FlushAcks(ctx); err != nil {
		return context.Cause(ctx)
	}
	return c.Record(acknowledged(ranges, c.refused.take())...)
}

// acknowledged are the entries for the outcome of acknowledgements, one for all partitions with the same answer. A refusal
// proves nothing: a lost request was sent again, and the one before may have been applied.
func acknowledged(ranges []history.OffsetRange, refused map[int32]error) []history.Entry {
	same := map[string]*history.Acknowledged{}
	var entries []history.Entry
	for _, r := range ranges {
		outcome, reason := member.CommitOutcome(refused[r.Partition])
		e := same[reason]
		if e == nil {
			e = &history.Acknowledged{Stamp: history.AtNow(), Outcome: outcome, Reason: reason}
			same[reason] = e
			entries = append(entries, e)
		}
		e.Ranges = append(e.Ranges, r)
	}
	return entries
}

// rangesOf are the inputs' offsets as ranges.
func rangesOf(inputs []Input) []history.OffsetRange {
	var all []history.OffsetRange
	for _, in := range inputs {
		if n := len(all); n > 0 && all[n-1].Partition == in.Partition && all[n-1].To == in.Offset {
			all[n-1].To++
			continue
		}
		all = append(all, history.OffsetRange{Partition: in.Partition, From: in.Offset, To: in.Offset + 1})
	}
	return all
}

// redelivered are the entries for records that the brokers count as delivered before, one for each span of offsets with
// the same count.
func redelivered(partition int32, records []*kgo.Record) []history.Entry {
	var entries []history.Entry
	var last *history.Redelivered
	for _, r := range records {
		times := uint64(max(1, r.DeliveryCount()))
		switch {
		case times == 1:
			last = nil
		case last != nil && last.To == r.Offset && last.Count == times:
			last.To++
		default:
			last = &history.Redelivered{Stamp: history.AtNow(), Partition: partition, From: r.Offset, To: r.Offset + 1, Count: times}
			entries = append(entries, last)
		}
	}
	return entries
}
