package workloads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/wait"
)

// producerIdentity is a transactional producer that produces nothing: its transactions hold offsets only, and begin (with
// transaction.version 2) with the first of those.
//
// Its requests are written by hand. kgo's producer ends no transaction into which it has not produced, and kgo's session
// aborts one that holds offsets only whenever the one before is not quite over (untilFree): each such abort makes its calls twice.
type producerIdentity struct {
	id    int64
	epoch int16
}

// openWithIdentity makes a worker's consumer, and takes its transactional id.
func (w *worker) openWithIdentity(ctx context.Context, o opening) (*client, error) {
	c, err := w.open(ctx, o)
	if err != nil {
		return nil, err
	}
	for {
		if c.identity, err = c.takeIdentity(ctx); err == nil {
			return c, nil
		}
		slog.Warn("producer id", "err", err)
		if serr := wait.Sleep(ctx, reopenPause); serr != nil {
			return nil, errors.Join(serr, c.close())
		}
	}
}

// takeIdentity fetches a producer id, which ends what an earlier life left open and fences it.
func (c *client) takeIdentity(ctx context.Context) (*producerIdentity, error) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID = kmsg.StringPtr(c.w.spec.TransactionalID)
	req.TransactionTimeoutMillis = int32(c.w.spec.Shared.TransactionTimeout.Milliseconds())
	resp, err := req.RequestWith(ctx, c.kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		return nil, err
	}
	return &producerIdentity{resp.ProducerID, resp.ProducerEpoch}, nil
}

// beginByHand opens the next transaction of the producer beside the consumer. One that holds offsets only begins with them.
func (c *client) beginByHand() error {
	if c.producer == nil {
		return nil
	}
	return c.producer.BeginTransaction()
}

// endByHand ends it.
func (c *client) endByHand(ctx context.Context, commit bool) error {
	if c.producer != nil {
		return c.producer.EndTransaction(ctx, kgo.TransactionEndTry(commit))
	}
	req := kmsg.NewPtrEndTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = c.w.spec.TransactionalID, c.identity.id, c.identity.epoch, commit
	return untilFree(ctx, func(ctx context.Context) error {
		resp, err := req.RequestWith(ctx, c.kafka)
		if err != nil {
			return err
		}
		if resp.Version >= 5 && resp.ProducerID >= 0 { // each end raises the epoch
			c.identity = &producerIdentity{resp.ProducerID, resp.ProducerEpoch}
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
}

// identified is the producer id and epoch of the open transaction.
func (c *client) identified(ctx context.Context) (int64, int16, error) {
	if c.producer != nil {
		return c.producer.ProducerID(ctx)
	}
	return c.identity.id, c.identity.epoch, nil
}

const (
	// freeWithin bounds the wait for the transaction before this one; Kafka's Java client asks again for a minute
	// (max.block.ms).
	freeWithin = 10 * time.Second
	freePause  = 20 * time.Millisecond
)

// untilFree asks again while the coordinator is still writing the markers of the transaction before. With
// transaction.version 2 that is what the first request of a transaction can meet. Where outputs are produced, that is a
// Produce, which the client repeats; where there are none, it is the offsets, which it does not.
func untilFree(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, freeWithin, fmt.Errorf("the transaction before is not over within %s", freeWithin))
	defer cancel()
	for {
		err := ask(ctx)
		if !errors.Is(err, kerr.ConcurrentTransactions) {
			return err
		}
		if wait.Sleep(ctx, freePause) != nil {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
