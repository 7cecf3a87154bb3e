package worker

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

// producerIdentity is a transactional producer that produces nothing. Its transactions hold offsets only, and begin (with
// transaction.version 2) with the first of those.
//
// Its requests are written by hand. kgo's producer ends no transaction into which it has not produced. kgo's session
// aborts a transaction of offsets only whenever the one before is not quite over (untilFree), and each such abort makes
// the pipeline's calls twice.
type producerIdentity struct {
	id    int64
	epoch int16
}

// openWithIdentity makes a worker's consumer, and takes its transactional id.
func (w *Worker) openWithIdentity(ctx context.Context, o Opening) (*Client, error) {
	c, err := w.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	for {
		if c.identity, err = c.takeIdentity(ctx); err == nil {
			return c, nil
		}
		slog.Warn("producer id", "err", err)
		if serr := wait.Sleep(ctx, reopenPause); serr != nil {
			return nil, errors.Join(serr, c.Close())
		}
	}
}

// takeIdentity fetches a producer id, which fences an earlier incarnation and ends what it left open.
func (c *Client) takeIdentity(ctx context.Context) (*producerIdentity, error) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID = kmsg.StringPtr(c.Spec.TransactionalID)
	req.TransactionTimeoutMillis = int32(c.Spec.Shared.TransactionTimeout.Milliseconds())
	resp, err := req.RequestWith(ctx, c.kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		return nil, err
	}
	return &producerIdentity{resp.ProducerID, resp.ProducerEpoch}, nil
}

// beginByHand opens the next transaction of the worker's own producer. One that holds offsets only begins with them.
func (c *Client) beginByHand() error {
	if c.producer == nil {
		return nil
	}
	return c.producer.BeginTransaction()
}

// endByHand ends it.
func (c *Client) endByHand(ctx context.Context, commit bool) error {
	if c.producer != nil {
		return c.producer.EndTransaction(ctx, kgo.TransactionEndTry(commit))
	}
	req := kmsg.NewPtrEndTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = c.Spec.TransactionalID, c.identity.id, c.identity.epoch, commit
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
func (c *Client) identified(ctx context.Context) (int64, int16, error) {
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

// untilFree asks again while the coordinator still writes the markers of the transaction before. With transaction.version
// 2 the first request of a transaction can meet that. A Produce is repeated by the client; offsets are not.
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
