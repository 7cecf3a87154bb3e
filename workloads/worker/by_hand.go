package workloads

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
)

// byHand is the transactional loop with a consumer and a producer of its own.
type byHand struct {
	// metadata says that offsets are sent with the group's member id and generation.
	metadata bool
	// offsetsOnly says that nothing is produced: the transaction holds the offsets alone.
	offsetsOnly bool
	// store does a poll's work inside the open transaction, and says whether all of it succeeded (nil: it produces each
	// record's output once).
	store func(context.Context, *client, []input) (stored bool, err error)
}

func (m byHand) run(ctx context.Context, w *worker) error {
	return w.inSessions(ctx, func(ctx context.Context) (*client, error) {
		o := opening{consumesOnly: true, options: []kgo.Opt{
			kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		}}
		if m.offsetsOnly {
			return w.openWithIdentity(ctx, o)
		}
		return w.openWithProducer(ctx, o)
	}, func(ctx context.Context, c *client) error {
		for w.stopping.Err() == nil {
			inputs, err := c.poll(ctx)
			if err == nil && len(inputs) > 0 {
				err = m.transaction(ctx, c, inputs)
			}
			c.kafka.AllowRebalance()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// openWithProducer makes a worker's consumer, and a transactional producer beside it.
func (w *worker) openWithProducer(ctx context.Context, o opening) (*client, error) {
	options := append(clientOptions(w.spec), kgo.WithContext(ctx), kgo.TransactionalID(w.spec.TransactionalID),
		kgo.TransactionTimeout(w.spec.Shared.TransactionTimeout))
	if w.describe != nil {
		w.describe(opened{w.kind(false, true), options})
	}
	c, err := w.open(ctx, o)
	if err != nil {
		return nil, err
	}
	c.producer, err = kgo.NewClient(append(options, kgo.WithHooks(&wire{ctx: ctx, c: c}))...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("kafka producer: %w", err), c.close())
	}
	// Taking the producer id now ends what an earlier life left open, before the committed positions are read.
	if _, _, err := c.producer.ProducerID(ctx); err != nil {
		logged(err)
	}
	return c, nil
}

// transaction processes one poll's records in one transaction.
func (m byHand) transaction(ctx context.Context, c *client, inputs []input) error {
	if err := c.beginByHand(); err != nil {
		return &sessionError{err}
	}
	c.w.txn++
	if err := c.w.record(&history.TxnBegin{At: history.Now(), Txn: c.w.txn}); err != nil {
		return err
	}
	work := m.store
	if work == nil {
		work = store
	}
	stored, err := work(ctx, c, inputs)
	if err != nil {
		return err
	}
	if err := c.w.gates.reach(ctx, PhaseFlushed, len(inputs)); err != nil {
		return err
	}
	return c.endManually(ctx, inputs, stored, m.metadata)
}

// endManually sends the offsets and ends the transaction. It comes back without an error only after a commit.
func (c *client) endManually(ctx context.Context, inputs []input, commit, metadata bool) error {
	txn := c.w.txn
	if err := c.w.record(append(c.outputs.take(), &history.TxnEnding{At: history.Now(), Txn: txn, Commit: commit})...); err != nil {
		return err
	}
	var offsets *history.Committed
	var refused error
	if commit {
		if err := c.w.gates.reach(ctx, PhaseCommitting, 0); err != nil {
			return err
		}
		offsets, refused = c.sendOffsets(ctx, inputs, metadata)
	}
	commit = commit && refused == nil
	err := c.endByHand(ctx, commit)
	if herr := c.w.record(endedManually(txn, commit, offsets, err)...); herr != nil {
		return herr
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || !commit:
		return &sessionError{errors.Join(errAborted, refused, err)}
	}
	return c.w.gates.reach(ctx, PhaseCommitted, 0)
}

var errAborted = errors.New("the transaction was not committed")

// endedManually builds the entries for the outcome: the offsets are confirmed only with the transaction.
func endedManually(txn uint64, commit bool, offsets *history.Committed, err error) []history.Entry {
	e := &history.TxnEnded{At: history.Now(), Txn: txn, Commit: commit, Outcome: history.OutcomeConfirmed}
	if err != nil {
		e.Outcome, e.Reason = history.OutcomeUnknown, err.Error()
	}
	if offsets == nil {
		return []history.Entry{e}
	}
	if commit && err == nil {
		offsets.Outcome = history.OutcomeConfirmed
	} else if offsets.Reason == "" {
		offsets.Reason = e.Reason
	}
	return []history.Entry{offsets, e}
}

// sendOffsets sends the positions after inputs into the open transaction, with the group's member id and generation or
// without.
func (c *client) sendOffsets(ctx context.Context, inputs []input, metadata bool) (*history.Committed, error) {
	req, offsets, err := c.txnOffsetCommit(ctx, inputs, metadata)
	if err != nil {
		return nil, err
	}
	if err := c.w.record(&history.Committing{At: history.Now(), Txn: c.w.txn, Offsets: offsets.Offsets}); err != nil {
		return nil, err
	}
	err = untilFree(ctx, func(ctx context.Context) error {
		resp, err := req.RequestWith(ctx, c.producing())
		if err != nil {
			return err
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				err = errors.Join(err, kerr.ErrorForCode(p.ErrorCode))
			}
		}
		return err
	})
	if err != nil {
		offsets.Reason = err.Error()
	}
	return offsets, err
}

func (c *client) txnOffsetCommit(ctx context.Context, inputs []input, metadata bool) (*kmsg.TxnOffsetCommitRequest, *history.Committed, error) {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	id, epoch, err := c.identified(ctx)
	if err != nil {
		return nil, nil, err
	}
	req.TransactionalID, req.Group, req.ProducerID, req.ProducerEpoch = c.w.spec.TransactionalID, c.w.spec.Group, id, epoch
	if metadata {
		req.MemberID, req.Generation = c.kafka.GroupMetadata()
		if c.w.spec.option(optStatic) == "true" {
			req.InstanceID = kmsg.StringPtr(c.w.spec.Name)
		}
	}
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = c.w.spec.Input, c.topicID
	offsets := &history.Committed{At: history.Now(), Txn: c.w.txn}
	for partition, at := range after(inputs) {
		p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.LeaderEpoch = partition, at.Offset, at.Epoch
		topic.Partitions = append(topic.Partitions, p)
		offsets.Offsets = append(offsets.Offsets, history.PartitionOffset{Partition: partition, Offset: at.Offset})
	}
	req.Topics = append(req.Topics, topic)
	return req, offsets, nil
}
