package workloads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// closeWithin bounds how long a client may take to leave its group: brokers may be out of reach.
const closeWithin = 5 * time.Second

// client is the recording Kafka client: a pipeline has no other way to poll, produce, commit or end a transaction, so
// its history cannot be skipped. An entry is written before the effect it announces can be seen.
type client struct {
	w     *worker
	kafka *kgo.Client
	// session is set in a transactional pipeline only; kafka is then its client.
	session *kgo.GroupTransactSession
	// producer is set where a pipeline produces through a client of its own.
	producer *kgo.Client
	// identity is set where transactions hold offsets only.
	identity *producerIdentity
	outputs  outputs
	held     membership
	// shared says that it is a share group's member; refused are then the answers to its acknowledgements.
	shared  bool
	refused refusals
	// unwatch ends what watches a share group's member, nil elsewhere.
	unwatch func()
	// ending is the transaction that is being ended, for the commit callback inside it.
	ending ending
	// cancel fails whatever the client still waits for.
	cancel context.CancelFunc
	// opened is closed once the fields above are set: kgo calls back before its constructor returns.
	opened chan struct{}

	mu sync.Mutex
	// positions are the next offsets to read, after what polls returned, by partition.
	positions map[int32]kgo.EpochOffset
	// topicID is the input topic's, as fetches name it.
	topicID [16]byte
}

// opening is what a pipeline asks of its client beside what all share.
type opening struct {
	options []kgo.Opt
	// consumesOnly says that outputs go through a client of their own.
	consumesOnly bool
	// beforeRevoke runs when partitions are about to leave in order, before that is recorded.
	beforeRevoke func(context.Context, *client)
	// autoCommitted runs after each automatic commit, once that is recorded.
	autoCommitted func(context.Context, *client, []answer)
}

func (w *worker) newClient(ctx context.Context, o opening) (*client, []kgo.Opt) {
	ctx, cancel := context.WithCancel(ctx)
	c := &client{w: w, cancel: cancel, opened: make(chan struct{}), positions: map[int32]kgo.EpochOffset{}}
	opts := append(clientOptions(w.spec), groupOptions(w.spec, c.balancer())...)
	opts = append(opts, kgo.WithContext(kgo.PreCommitFnContext(ctx, c.recordCommitting(ctx))), kgo.WithHooks(&wire{ctx: ctx, c: c}))
	opts = append(opts, c.membershipOptions(ctx, o.beforeRevoke)...)
	if o.autoCommitted != nil {
		opts = append(opts, c.autoCommitOptions(ctx, o.autoCommitted)...)
	}
	return c, append(opts, o.options...)
}

// open makes a worker's client.
func (w *worker) open(ctx context.Context, o opening) (*client, error) {
	c, opts := w.newClient(ctx, o)
	if w.describe != nil {
		w.describe(opened{w.kind(true, !o.consumesOnly), opts})
		c.cancel()
		return nil, errDescribed
	}
	kafka, err := kgo.NewClient(opts...)
	if err != nil {
		c.cancel()
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	c.kafka = kafka
	close(c.opened)
	return c, nil
}

// openSession makes a transactional worker's client.
func (w *worker) openSession(ctx context.Context, o opening) (*client, error) {
	c, opts := w.newClient(ctx, o)
	if w.describe != nil {
		w.describe(opened{w.kind(true, true), opts})
		c.cancel()
		return nil, errDescribed
	}
	session, err := kgo.NewGroupTransactSession(opts...)
	if err != nil {
		c.cancel()
		return nil, fmt.Errorf("kafka transaction session: %w", err)
	}
	c.session, c.kafka = session, session.Client()
	close(c.opened)
	return c, nil
}

// close leaves the group and records what the producer never learnt. It gives up on brokers that don't answer.
func (c *client) close() error {
	giveUp := time.AfterFunc(closeWithin, c.cancel)
	defer giveUp.Stop()
	defer c.cancel()
	if c.unwatch != nil {
		c.unwatch()
	}
	c.kafka.CloseAllowingRebalance()
	if c.producer != nil {
		c.producer.Close()
	}
	return c.recordOutputs()
}

// producing is the client that outputs go through.
func (c *client) producing() *kgo.Client {
	if c.producer != nil {
		return c.producer
	}
	return c.kafka
}

// poll returns the records of one poll, each with a new processing ordinal; none once the worker must stop.
func (c *client) poll(ctx context.Context) ([]input, error) {
	asked, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.w.stopping, func() { cancel(context.Canceled) })()
	fetches := c.kafka.PollRecords(asked, c.w.spec.Shared.MaxPollRecords)
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
	if err := c.w.record(entries...); err != nil || len(inputs) == 0 {
		return nil, err
	}
	return inputs, c.w.gates.reach(ctx, PhasePolled, len(inputs))
}

// deliver gives each record its processing ordinal.
func (c *client) deliver(fetches kgo.Fetches) (inputs []input, entries []history.Entry) {
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
			c.w.processing++
			if in, ok := c.read(r); ok {
				inputs = append(inputs, in)
			}
		}
		c.positions[p.Partition] = kgo.EpochOffset{Epoch: last.LeaderEpoch, Offset: last.Offset + 1}
	})
	return inputs, entries
}

// polled are the entries for a delivery. What a consumer reads is a stretch of the log, and what lies between its records
// counts for nothing; of a share group the others may have those: it gets an entry for each run of offsets.
func (c *client) polled(partition int32, records []*kgo.Record) []history.Entry {
	var entries []history.Entry
	for i, first := 0, 0; i < len(records); i++ {
		if next := i + 1; next < len(records) && (!c.shared || records[next].Offset == records[i].Offset+1) {
			continue
		}
		entries = append(entries, &history.Polled{
			At: history.Now(), Partition: partition, From: records[first].Offset, To: records[i].Offset + 1,
			Count: uint64(i + 1 - first), Processing: c.w.processing + 1 + uint64(first),
		})
		first = i + 1
	}
	return entries
}

// read decodes a record. One that isn't ours is passed over: it has no identity that an output could carry, and the
// read-back finds it in the input.
func (c *client) read(r *kgo.Record) (input, bool) {
	env, _, err := history.Decode(r.Value)
	if err != nil {
		slog.Warn("input record passed over", "partition", r.Partition, "offset", r.Offset, "err", err)
		return input{}, false
	}
	return input{
		Input: env.Input, partition: r.Partition, offset: r.Offset, epoch: r.LeaderEpoch,
		processing: c.w.processing, size: len(r.Value), delivery: c.delivery(r),
	}, true
}

// delivery is what a share group's member acknowledges.
func (c *client) delivery(r *kgo.Record) *kgo.Record {
	if !c.shared {
		return nil
	}
	return r
}
