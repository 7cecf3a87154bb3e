package worker

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/properties"
)

// closeWithin bounds how long a client may take to leave its group: brokers may be out of reach.
const closeWithin = 5 * time.Second

// Client is the recording Kafka client. A pipeline has no other way to poll, produce, commit or end a transaction, so it
// can't skip its history. An entry is written before the effect that it announces can be seen.
type Client struct {
	*Worker
	kafka *kgo.Client
	// session is set if transactions are a GroupTransactSession's; kafka is then its client.
	session *kgo.GroupTransactSession
	// producer is set if outputs go through a client of their own.
	producer *kgo.Client
	// identity is set if transactions hold offsets only.
	identity *producerIdentity
	outputs  outputs
	assigned membership
	// shared is set in a share group; refused are then the answers to its acknowledgements.
	shared  bool
	refused refusals
	// unwatch stops watching a share group's assignment; nil elsewhere.
	unwatch func()
	// ending is what is seen of the transaction that is being ended.
	ending ending
	// inHand counts the records whose offsets are about to be committed: those of the open transaction, or of the batch.
	inHand atomic.Int64
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

// Opening is what a pipeline asks of its client in addition to what all pipelines share.
type Opening struct {
	Options []kgo.Opt
	// ConsumesOnly is set if outputs go through a client of their own.
	ConsumesOnly bool
	// BeforeRevoke runs when partitions are about to leave in order, before that is recorded.
	BeforeRevoke func(context.Context, *Client)
	// AutoCommitted runs after each automatic commit, once that is recorded. If it is nil, the client doesn't record
	// automatic commits: it must make none.
	AutoCommitted func(context.Context, *Client, []Answer)
}

func (w *Worker) newClient(ctx context.Context, o Opening) (*Client, []kgo.Opt) {
	ctx, cancel := context.WithCancel(ctx)
	c := &Client{Worker: w, cancel: cancel, opened: make(chan struct{}), positions: map[int32]kgo.EpochOffset{}}
	opts := append(member.ClientOptions(w.Spec), groupOptions(w.Spec, c.balancer())...)
	opts = append(opts, kgo.WithContext(kgo.PreCommitFnContext(ctx, c.recordCommitting(ctx))), kgo.WithHooks(&wire{ctx: ctx, c: c}))
	opts = append(opts, c.membershipOptions(ctx, o.BeforeRevoke)...)
	if o.AutoCommitted != nil {
		opts = append(opts, c.autoCommitOptions(ctx, o.AutoCommitted)...)
	}
	return c, append(opts, o.Options...)
}

// Open makes the client of a member of a consumer group.
func (w *Worker) Open(ctx context.Context, o Opening) (*Client, error) {
	c, opts := w.newClient(ctx, o)
	kind := properties.Consuming
	if !o.ConsumesOnly {
		kind |= properties.Producing
	}
	if w.described(kind, opts) {
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

// openSession makes a client whose transactions are a GroupTransactSession's.
func (w *Worker) openSession(ctx context.Context, o Opening) (*Client, error) {
	c, opts := w.newClient(ctx, o)
	if w.described(properties.Consuming|properties.Producing|properties.Transacting, opts) {
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

// Close leaves the group, and records as unknown what the producer never learnt. It gives up on brokers that don't
// answer.
func (c *Client) Close() error {
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
	return c.RecordOutputs()
}

// producing is the client that outputs go through.
func (c *Client) producing() *kgo.Client {
	if c.producer != nil {
		return c.producer
	}
	return c.kafka
}

// AllowRebalance lets partitions move, where Options hold rebalances back from a poll to this call.
func (c *Client) AllowRebalance() { c.kafka.AllowRebalance() }
