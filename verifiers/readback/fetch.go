package readback

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// question is one raw Fetch. At isolation level 1 the leader answers up to the last stable offset and lists the aborted
// transactions of what it sends, but leaves nothing out.
type question struct {
	tp        ask.TopicPartition
	offset    int64
	isolation int8
}

type fetched struct {
	batches []byte
	aborted []observation.Aborted
}

// request is the Fetch that asks a leader.
func (q question) request(leader ask.Leader) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 500, 1, 2*partitionBytes
	req.IsolationLevel = q.isolation
	req.SessionEpoch = -1 // no fetch session
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = q.tp.Topic, leader.TopicID
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.CurrentLeaderEpoch, p.FetchOffset, p.PartitionMaxBytes = q.tp.Partition, leader.Epoch, q.offset, partitionBytes
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	return req
}

// fetch asks once, for what is not worth a connection of its own.
func fetch(ctx context.Context, brokers ask.Brokers, leader ask.Leader, q question) (fetched, error) {
	resp, err := ask.One[*kmsg.FetchResponse](ctx, brokers, leader.Node, q.request(leader))
	if err != nil {
		return fetched{}, fmt.Errorf("%s: %w", q.tp, err)
	}
	return fetchedOf(resp, q.tp, leader.Node)
}

func fetchedOf(resp *kmsg.FetchResponse, tp ask.TopicPartition, broker int) (fetched, error) {
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fetched{}, notFetched(tp, broker, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.Partition != tp.Partition {
				continue
			}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fetched{}, notFetched(tp, broker, err)
			}
			got := fetched{batches: p.RecordBatches}
			for _, a := range p.AbortedTransactions {
				got.aborted = append(got.aborted, observation.Aborted{ProducerID: a.ProducerID, First: a.FirstOffset, Last: -1})
			}
			return got, nil
		}
	}
	return fetched{}, notFetched(tp, broker, errors.New("the answer doesn't hold the partition"))
}

func notFetched(tp ask.TopicPartition, broker int, err error) error {
	return &ask.Error{Broker: fmt.Sprintf("broker %d", broker), Request: "Fetch", About: tp.String(), Err: err}
}
