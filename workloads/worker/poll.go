package worker

import (
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/phase"
)

// Poll returns the records of one poll, each with a new processing ordinal, and none once the worker must stop.
func (c *Client) Poll(ctx context.Context) ([]Input, error) {
	asked, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.Stopping, func() { cancel(context.Canceled) })()
	fetches := c.kafka.PollRecords(asked, c.Spec.Shared.MaxPollRecords)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if fetches.IsClientClosed() {
		return nil, kgo.ErrClientClosed
	}
	fetches.EachError(func(_ string, p int32, err error) {
		if !errors.Is(err, context.Canceled) {
			slog.Warn("fetch", "partition", p, "err", err)
		}
	})
	inputs, entries := c.deliver(fetches)
	if err := c.Record(entries...); err != nil || len(inputs) == 0 {
		return nil, err
	}
	return inputs, c.Gates.Reach(ctx, phase.Polled, len(inputs))
}

// Buffered is the number of records that a poll would return at once.
func (c *Client) Buffered() int64 { return c.kafka.BufferedFetchRecords() }

// deliver gives each record its processing ordinal.
func (c *Client) deliver(fetches kgo.Fetches) (inputs []Input, entries []history.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fetches.EachTopic(func(t kgo.FetchTopic) { c.topicID = t.TopicID })
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) == 0 {
			return
		}
		last := p.Records[len(p.Records)-1]
		entries = append(entries, c.polled(p.Partition, p.Records)...)
		if c.shared {
			entries = append(entries, redelivered(p.Partition, p.Records)...)
		}
		for _, r := range p.Records {
			c.processing++
			if in, ok := c.read(r); ok {
				inputs = append(inputs, in)
			}
		}
		c.positions[p.Partition] = kgo.EpochOffset{Epoch: last.LeaderEpoch, Offset: last.Offset + 1}
	})
	return inputs, entries
}

// polled are the entries for a delivery. A consumer reads the log in order, and offsets between its records hold nothing
// for it. In a share group other members may have those records, so each span of offsets gets an entry of its own.
func (c *Client) polled(partition int32, records []*kgo.Record) []history.Entry {
	var entries []history.Entry
	for i, first := 0, 0; i < len(records); i++ {
		if next := i + 1; next < len(records) && (!c.shared || records[next].Offset == records[i].Offset+1) {
			continue
		}
		entries = append(entries, &history.Polled{
			Stamp: history.AtNow(), Partition: partition, From: records[first].Offset, To: records[i].Offset + 1,
			Count: uint64(i + 1 - first), Processing: c.processing + 1 + uint64(first),
		})
		first = i + 1
	}
	return entries
}

// read decodes a record. A foreign one is skipped: it has no identity that an output could carry, and the read-back finds
// it in the input.
func (c *Client) read(r *kgo.Record) (Input, bool) {
	env, _, err := history.Decode(r.Value)
	if err != nil {
		slog.Warn("input record skipped", "partition", r.Partition, "offset", r.Offset, "err", err)
		return Input{}, false
	}
	in := Input{
		Input: env.Input, Partition: r.Partition, Offset: r.Offset, Epoch: r.LeaderEpoch,
		processing: c.processing, size: len(r.Value),
	}
	if c.shared {
		in.delivery = r
	}
	return in, true
}

// Position are the next offsets that polls return, by assigned partition.
func (c *Client) Position() map[int32]kgo.EpochOffset {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.positions)
}

func (c *Client) forget(partitions []int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range partitions {
		delete(c.positions, p)
	}
}
