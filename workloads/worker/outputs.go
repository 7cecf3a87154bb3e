package worker

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
)

// outputs counts outputs by outcome until an Outputs entry is written.
type outputs struct {
	mu     sync.Mutex
	counts map[resolution]map[int32]uint64
}

// resolution is what the records of one Outputs entry have in common.
type resolution struct {
	txn     uint64
	outcome history.Outcome
	reason  string
}

func (o *outputs) add(r resolution, partition int32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == nil {
		o.counts = map[resolution]map[int32]uint64{}
	}
	if o.counts[r] == nil {
		o.counts[r] = map[int32]uint64{}
	}
	o.counts[r][partition]++
}

// take returns the entries for everything that was added since the last call.
func (o *outputs) take() []history.Entry {
	o.mu.Lock()
	counts := o.counts
	o.counts = nil
	o.mu.Unlock()
	var entries []history.Entry
	for r, partitions := range counts {
		e := &history.Outputs{Stamp: history.AtNow(), Txn: r.txn, Outcome: r.outcome, Reason: r.reason}
		for p, n := range partitions {
			e.Counts = append(e.Counts, history.PartitionCount{Partition: p, Count: n})
		}
		slices.SortFunc(e.Counts, func(a, b history.PartitionCount) int { return cmp.Compare(a.Partition, b.Partition) })
		entries = append(entries, e)
	}
	return entries
}

// Value is the envelope of an input's output.
func (c *Client) Value(in Input) []byte {
	s := c.Spec
	return history.AppendOutput(make([]byte, 0, max(in.size, history.OutputSize)), history.Output{
		Input: in.Input,
		Origin: history.Origin{
			Partition: in.Partition, Offset: in.Offset, Worker: s.Number, Incarnation: s.Incarnation,
			Processing: in.processing, Txn: c.openTxn(),
		},
	}, in.size)
}

// Produce hands the input's output to the producer. Done is called once its outcome is recorded in memory; it must not
// block.
func (c *Client) Produce(ctx context.Context, in Input, done func(Input, error)) {
	c.produceTo(ctx, c.Spec.Output, in.Partition, in, done)
}

// ProduceFurther hands the input's outputs for the topics after the first to the producer; done is called for each.
func (c *Client) ProduceFurther(ctx context.Context, in Input, done func(Input, error)) {
	for i, topic := range c.Spec.Further {
		c.produceTo(ctx, topic, int32((i+1)*c.Spec.Partitions)+in.Partition, in, done)
	}
}

// produceTo produces to the topic of an output partition's number (harness.PipelineLayout.Place).
func (c *Client) produceTo(ctx context.Context, topic string, number int32, in Input, done func(Input, error)) {
	txn := c.openTxn()
	record := &kgo.Record{Topic: topic, Partition: in.Partition, Value: c.Value(in)}
	c.producing().Produce(ctx, record, func(_ *kgo.Record, err error) {
		outcome, reason := member.ProduceOutcome(err)
		c.resolve(resolution{txn: txn, outcome: outcome, reason: reason}, number)
		done(in, err)
	})
}

// Resolve records in memory the outcome of an output that goes elsewhere than to Kafka.
func (c *Client) Resolve(in Input, outcome history.Outcome, reason string) {
	c.resolve(resolution{txn: c.openTxn(), outcome: outcome, reason: reason}, in.Partition)
}

func (c *Client) resolve(r resolution, partition int32) {
	c.outputs.add(r, partition)
	if r.outcome == history.OutcomeConfirmed {
		c.processed.Add(1)
	}
}

// openTxn is the open transaction's ordinal, 0 outside transactional pipelines.
func (c *Client) openTxn() uint64 {
	if c.session == nil && c.producer == nil && c.identity == nil {
		return 0
	}
	return c.txn
}

// RecordOutputs writes the outcomes of outputs up to now.
func (c *Client) RecordOutputs() error { return c.Record(c.outputs.take()...) }

// Flush waits until every produced record has its outcome.
func (c *Client) Flush(ctx context.Context) error {
	if err := c.producing().Flush(ctx); err != nil {
		return context.Cause(ctx)
	}
	return nil
}
