package workloads

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// memberEvery is how often a member of a share group asks what it was assigned: the client doesn't tell.
const memberEvery = 500 * time.Millisecond

// refusals collects what brokers answered to acknowledgements, by partition: the first error since they were taken.
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

// openShared makes the client of a share group's member.
func (w *worker) openShared(ctx context.Context) (*client, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &client{w: w, cancel: cancel, opened: make(chan struct{}), positions: map[int32]kgo.EpochOffset{}, shared: true}
	opts := append(clientOptions(w.spec), kgo.WithContext(ctx), kgo.WithHooks(&wire{ctx: ctx, c: c}),
		kgo.ShareGroup(w.spec.Group), kgo.ConsumeTopics(w.spec.Input), kgo.ShareMaxRecords(int32(w.spec.Shared.MaxPollRecords)),
		kgo.ShareAckCallback(c.refused.add))
	if w.describe != nil {
		w.describe(opened{shares | producing, opts})
		cancel()
		return nil, errDescribed
	}
	kafka, err := kgo.NewClient(opts...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	c.kafka = kafka
	close(c.opened)
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); c.watchAssignment(watching) }()
	c.unwatch = func() { stop(); <-ended }
	return c, nil
}

// acknowledge accepts the inputs and returns when what the brokers said is known and recorded. A refusal is no error:
// the records were released, and somebody gets them again.
func (c *client) acknowledge(ctx context.Context, inputs []input) error {
	ranges := rangesOf(inputs)
	if err := c.w.record(append(c.outputs.take(), &history.Acknowledging{At: history.Now(), Ranges: ranges})...); err != nil {
		return err
	}
	if err := c.w.gates.reach(ctx, PhaseCommitting, len(inputs)); err != nil {
		return err
	}
	c.refused.take()
	for _, in := range inputs {
		in.delivery.Ack(kgo.AckAccept)
	}
	if err := c.kafka.FlushAcks(ctx); err != nil {
		return context.Cause(ctx)
	}
	return c.w.record(acknowledged(ranges, c.refused.take())...)
}

// acknowledged are the entries for what became of acknowledgements, one for all partitions with the same answer. A refusal
// proves nothing: a lost request was sent again, and the one before may have been applied.
func acknowledged(ranges []history.OffsetRange, refused map[int32]error) []history.Entry {
	same := map[string]*history.Acknowledged{}
	var entries []history.Entry
	for _, r := range ranges {
		outcome, reason := commitOutcome(refused[r.Partition])
		e := same[reason]
		if e == nil {
			e = &history.Acknowledged{At: history.Now(), Outcome: outcome, Reason: reason}
			same[reason] = e
			entries = append(entries, e)
		}
		e.Ranges = append(e.Ranges, r)
	}
	return entries
}

// rangesOf are the inputs' offsets as ranges.
func rangesOf(inputs []input) []history.OffsetRange {
	var all []history.OffsetRange
	for _, in := range inputs {
		if n := len(all); n > 0 && all[n-1].Partition == in.partition && all[n-1].To == in.offset {
			all[n-1].To++
			continue
		}
		all = append(all, history.OffsetRange{Partition: in.partition, From: in.offset, To: in.offset + 1})
	}
	return all
}

// redelivered are the entries for what the brokers say they had handed out before: one for each run of offsets with the same
// count.
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
			last = &history.Redelivered{At: history.Now(), Partition: partition, From: r.Offset, To: r.Offset + 1, Count: times}
			entries = append(entries, last)
		}
	}
	return entries
}

// watchAssignment asks the group's coordinator what this member was assigned, until ctx is done, and records and tells
// each change. It is what fetches go to; what a member has in hand, only polls say.
func (c *client) watchAssignment(ctx context.Context) {
	var held []int32
	_ = wait.Poll(ctx, memberEvery, func() (bool, error) { // it ends with its context only
		epoch, now, err := c.assignment(ctx)
		if err != nil || slices.Equal(held, now) {
			if err != nil && ctx.Err() == nil {
				slog.Warn("share group", "err", err)
			}
			return false, nil
		}
		if gone := without(held, now); len(gone) > 0 {
			c.taken(gone, false)
		}
		if given := without(now, held); len(given) > 0 {
			c.given(epoch, given)
		}
		held = now
		return false, nil
	})
}

func without(a, b []int32) (out []int32) {
	for _, p := range a {
		if !slices.Contains(b, p) {
			out = append(out, p)
		}
	}
	return out
}

// assignment is what the coordinator says of the member with this client's id.
func (c *client) assignment(ctx context.Context) (epoch int32, partitions []int32, err error) {
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = []string{c.w.spec.Group}
	resp, err := req.RequestWith(ctx, c.kafka)
	if err != nil {
		return 0, nil, fmt.Errorf("describing it: %w", err)
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return 0, nil, fmt.Errorf("describing it: %w", err)
		}
		for _, m := range g.Members {
			if m.ClientID != c.w.spec.id() {
				continue
			}
			epoch = m.MemberEpoch
			for _, t := range m.Assignment.TopicPartitions {
				partitions = append(partitions, t.Partitions...)
			}
		}
	}
	slices.Sort(partitions)
	return epoch, partitions, nil
}
