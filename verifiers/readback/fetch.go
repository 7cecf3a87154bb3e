package readback

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// fetchAsk is one raw Fetch. At isolation level 1 the leader answers up to the last stable offset and lists the aborted
// transactions of what it sends, but leaves nothing out.
type fetchAsk struct {
	tp        brokers.TP
	offset    int64
	isolation int8
}

type fetched struct {
	batches []byte
	aborted []observation.Aborted
}

// request is the Fetch that asks a leader.
func (a fetchAsk) request(leader brokers.Leader) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 500, 1, 2*partitionBytes
	req.IsolationLevel = a.isolation
	req.SessionEpoch = -1 // no fetch session
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = a.tp.Topic, leader.TopicID
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.CurrentLeaderEpoch, p.FetchOffset, p.PartitionMaxBytes = a.tp.Partition, leader.Epoch, a.offset, partitionBytes
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	return req
}

// fetch asks once, for what is not worth a connection of its own.
func fetch(ctx context.Context, client *kgo.Client, leader brokers.Leader, ask fetchAsk) (fetched, error) {
	resp, err := client.Broker(int(leader.Broker)).Request(ctx, ask.request(leader))
	if err != nil {
		return fetched{}, fmt.Errorf("fetch %s from broker %d: %w", ask.tp, leader.Broker, err)
	}
	return fetchedOf(resp.(*kmsg.FetchResponse), ask.tp, leader.Broker)
}

func fetchedOf(resp *kmsg.FetchResponse, tp brokers.TP, broker int32) (fetched, error) {
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fetched{}, fmt.Errorf("fetch %s from broker %d: %w", tp, broker, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.Partition != tp.Partition {
				continue
			}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fetched{}, fmt.Errorf("fetch %s from broker %d: %w", tp, broker, err)
			}
			got := fetched{batches: p.RecordBatches}
			for _, a := range p.AbortedTransactions {
				got.aborted = append(got.aborted, observation.Aborted{ProducerID: a.ProducerID, First: a.FirstOffset, Last: -1})
			}
			return got, nil
		}
	}
	return fetched{}, fmt.Errorf("fetch %s from broker %d: the answer doesn't hold it", tp, broker)
}
