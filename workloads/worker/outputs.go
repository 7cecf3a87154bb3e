package workloads

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// outputs collects what became of produced records until an Outputs entry says so.
type outputs struct {
	mu     sync.Mutex
	counts map[settling]map[int32]uint64
}

// settling is what the records of one Outputs entry have in common.
type settling struct {
	txn     uint64
	outcome history.Outcome
	reason  string
}

func (o *outputs) add(s settling, partition int32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == nil {
		o.counts = map[settling]map[int32]uint64{}
	}
	if o.counts[s] == nil {
		o.counts[s] = map[int32]uint64{}
	}
	o.counts[s][partition]++
}

// take returns the entries for everything settled since the last call.
func (o *outputs) take() []history.Entry {
	o.mu.Lock()
	counts := o.counts
	o.counts = nil
	o.mu.Unlock()
	var entries []history.Entry
	for s, partitions := range counts {
		e := &history.Outputs{At: history.Now(), Txn: s.txn, Outcome: s.outcome, Reason: s.reason}
		for p, n := range partitions {
			e.Counts = append(e.Counts, history.PartitionCount{Partition: p, Count: n})
		}
		slices.SortFunc(e.Counts, func(a, b history.PartitionCount) int { return cmp.Compare(a.Partition, b.Partition) })
		entries = append(entries, e)
	}
	return entries
}

// value is the envelope of an input's output.
func (c *client) value(in input) []byte {
	s := c.w.spec
	return history.AppendOutput(make([]byte, 0, max(in.size, history.OutputSize)), history.Output{
		Input: in.Input,
		Origin: history.Origin{
			Partition: in.partition, Offset: in.offset, Worker: s.Number, Incarnation: s.Incarnation,
			Processing: in.processing, Txn: c.openTxn(),
		},
	}, in.size)
}

// produce hands the input's output to the producer. Done is called once its outcome is recorded in memory; it must not
// block.
func (c *client) produce(ctx context.Context, in input, done func(input, error)) {
	c.produceTo(ctx, c.w.spec.Output, in.partition, in, done)
}

// produceFurther hands the input's outputs for the topics beside the first to the producer; done is called for each.
func (c *client) produceFurther(ctx context.Context, in input, done func(input, error)) {
	for i, topic := range c.w.spec.Further {
		c.produceTo(ctx, topic, int32((i+1)*c.w.spec.Partitions)+in.partition, in, done)
	}
}

// produceTo produces to the topic of an output partition's number (harness.PipelineLayout.Place).
func (c *client) produceTo(ctx context.Context, topic string, number int32, in input, done func(input, error)) {
	txn := c.openTxn()
	record := &kgo.Record{Topic: topic, Partition: in.partition, Value: c.value(in)}
	c.producing().Produce(ctx, record, func(_ *kgo.Record, err error) {
		outcome, reason := produceOutcome(err)
		c.outputs.add(settling{txn: txn, outcome: outcome, reason: reason}, number)
		if err == nil {
			c.w.processed.Add(1)
		}
		done(in, err)
	})
}

// openTxn is the open transaction's ordinal, 0 outside transactional pipelines.
func (c *client) openTxn() uint64 {
	if c.session == nil && c.producer == nil && c.identity == nil {
		return 0
	}
	return c.w.txn
}

// recordOutputs writes down what became of outputs up to now.
func (c *client) recordOutputs() error { return c.w.record(c.outputs.take()...) }

// flush waits until every produced record is settled.
func (c *client) flush(ctx context.Context) error {
	if err := c.producing().Flush(ctx); err != nil {
		return context.Cause(ctx)
	}
	return nil
}
