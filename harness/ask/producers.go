package ask

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// OpenTransaction is a transaction that is open in one partition, as the partition's leader tells.
type OpenTransaction struct {
	TopicPartition
	ProducerID    int64
	ProducerEpoch int32
	// CoordinatorEpoch is -1 where no marker of the producer is in the log yet.
	CoordinatorEpoch int32
	// Start is the offset of its first record in the partition.
	Start int64
	// LastTimestamp is that of the producer's last batch, in milliseconds since 1970.
	LastTimestamp int64
}

// OpenTransactions asks a partition's leader which transactions are open in it.
func (b Brokers) OpenTransactions(ctx context.Context, leader int, tp TopicPartition) ([]OpenTransaction, error) {
	req := kmsg.NewPtrDescribeProducersRequest()
	topic := kmsg.NewDescribeProducersRequestTopic()
	topic.Topic, topic.Partitions = tp.Topic, []int32{tp.Partition}
	req.Topics = append(req.Topics, topic)
	resp, err := One[*kmsg.DescribeProducersResponse](ctx, b, leader, req)
	if err != nil {
		return nil, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return nil, b.failed(leader, req, tp.String(), errLeftOut)
	}
	p := resp.Topics[0].Partitions[0]
	if err := b.refused(leader, req, tp.String(), p.ErrorCode, p.ErrorMessage); err != nil {
		return nil, err
	}
	var open []OpenTransaction
	for _, a := range p.ActiveProducers {
		if a.CurrentTxnStartOffset >= 0 {
			open = append(open, OpenTransaction{tp, a.ProducerID, a.ProducerEpoch, a.CoordinatorEpoch, a.CurrentTxnStartOffset, a.LastTimestamp})
		}
	}
	return open, nil
}
