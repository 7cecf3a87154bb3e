package worker

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
)

// sendOffsets sends the offsets after inputs into the open transaction, with the group's member id and generation if
// metadata is set.
func (c *Client) sendOffsets(ctx context.Context, inputs []Input, metadata bool) (*history.Committed, error) {
	req, offsets, err := c.txnOffsetCommit(ctx, inputs, metadata)
	if err != nil {
		return nil, err
	}
	if err := c.Record(&history.Committing{Stamp: history.AtNow(), Txn: c.txn, Offsets: offsets.Offsets}); err != nil {
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

func (c *Client) txnOffsetCommit(ctx context.Context, inputs []Input, metadata bool) (*kmsg.TxnOffsetCommitRequest, *history.Committed, error) {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	id, epoch, err := c.identified(ctx)
	if err != nil {
		return nil, nil, err
	}
	req.TransactionalID, req.Group, req.ProducerID, req.ProducerEpoch = c.Spec.TransactionalID, c.Spec.Group, id, epoch
	if metadata {
		req.MemberID, req.Generation = c.kafka.GroupMetadata()
		if c.Spec.Option(OptionStatic) == "true" {
			req.InstanceID = kmsg.StringPtr(c.Spec.Name)
		}
	}
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = c.Spec.Input, c.topicID
	offsets := &history.Committed{Stamp: history.AtNow(), Txn: c.txn}
	for partition, at := range after(inputs) {
		p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.LeaderEpoch = partition, at.Offset, at.Epoch
		topic.Partitions = append(topic.Partitions, p)
		offsets.Offsets = append(offsets.Offsets, history.PartitionOffset{Partition: partition, Offset: at.Offset})
	}
	req.Topics = append(req.Topics, topic)
	return req, offsets, nil
}
