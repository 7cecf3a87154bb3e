// Package ready says when a cluster is ready, by what its brokers answer: the same for every provider.
package ready

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"

	"github.com/chaeos/chaeos/harness/wait"
)

const (
	readyEvery   = 50 * time.Millisecond
	readyRequest = 2 * time.Second
)

// Await returns when every broker, asked at its own listener, sees as many brokers as there are addresses and reaches a
// controller that answers. On the way out of ctx it says what was still missing.
func Await(ctx context.Context, brokers []string) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, address := range brokers {
		group.Go(func() error { return brokerReady(ctx, address, len(brokers)) })
	}
	return group.Wait()
}

func brokerReady(ctx context.Context, address string, brokers int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	var last error
	err = wait.Poll(ctx, readyEvery, func() (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, readyRequest)
		defer cancel()
		last = ask(ctx, client.SeedBrokers()[0], brokers)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w; the broker at %s: %w", err, address, last)
	}
	return nil
}

// ask sends its own metadata request: the client's metadata calls may answer from a cache.
func ask(ctx context.Context, broker *kgo.Broker, brokers int) error {
	metadata := kmsg.NewPtrMetadataRequest()
	metadata.Topics = []kmsg.MetadataRequestTopic{} // none, where nil means all
	answer, err := broker.Request(ctx, metadata)
	if err != nil {
		return err
	}
	if seen := len(answer.(*kmsg.MetadataResponse).Brokers); seen != brokers {
		return fmt.Errorf("metadata shows %d of %d brokers", seen, brokers)
	}
	_, err = ActiveController(ctx, broker)
	return err
}

// ActiveController returns the node that is the active controller. The broker forwards the question to it: an answer
// proves that it lives.
func ActiveController(ctx context.Context, broker *kgo.Broker) (int, error) {
	request := kmsg.NewPtrDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = "__cluster_metadata"
	topic.Partitions = []kmsg.DescribeQuorumRequestTopicPartition{kmsg.NewDescribeQuorumRequestTopicPartition()}
	request.Topics = append(request.Topics, topic)
	answer, err := broker.Request(ctx, request)
	if err != nil {
		return 0, err
	}
	response := answer.(*kmsg.DescribeQuorumResponse)
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return 0, fmt.Errorf("describe quorum: %w", err)
	}
	for _, t := range response.Topics {
		for _, partition := range t.Partitions {
			if partition.ErrorCode == 0 && partition.LeaderID > 0 {
				return int(partition.LeaderID), nil
			}
		}
	}
	return 0, fmt.Errorf("no active controller")
}
