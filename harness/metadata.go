package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// askTimeout bounds one question to one broker: a paused broker accepts and never answers.
const askTimeout = 2 * time.Second

const quorumTopic = "__cluster_metadata"

// AskBrokers sends a request to each of the nodes in turn until one answers, and returns its answer. The client's own
// choice of broker and its cache are no use while brokers are down: they may name one that is gone.
func AskBrokers(ctx context.Context, client *kgo.Client, nodes []int, req kmsg.Request) (kmsg.Response, error) {
	var failures []error
	for _, node := range nodes {
		askCtx, cancel := context.WithTimeout(ctx, askTimeout)
		resp, err := client.Broker(node).Request(askCtx, req)
		cancel()
		if err == nil {
			return resp, nil
		}
		failures = append(failures, fmt.Errorf("broker %d: %w", node, err))
	}
	return nil, errors.Join(failures...)
}

// Controller returns the node that leads the controller quorum, asking the given brokers.
func Controller(ctx context.Context, client *kgo.Client, brokers []int) (int, error) {
	quorum, err := askQuorum(ctx, client, brokers)
	return int(quorum.LeaderID), err
}

// QuorumHeard returns when the controller quorum's leader last answered each node that follows it, voters and observers,
// in milliseconds of its wall clock, asking the given brokers. The leader itself is always heard.
func QuorumHeard(ctx context.Context, client *kgo.Client, brokers []int) (map[int]int64, error) {
	quorum, err := askQuorum(ctx, client, brokers)
	if err != nil {
		return nil, err
	}
	heard := map[int]int64{}
	for _, v := range slices.Concat(quorum.CurrentVoters, quorum.Observers) {
		heard[int(v.ReplicaID)] = v.LastFetchTimestamp
	}
	heard[int(quorum.LeaderID)] = math.MaxInt64
	return heard, nil
}

func askQuorum(ctx context.Context, client *kgo.Client, brokers []int) (kmsg.DescribeQuorumResponseTopicPartition, error) {
	req := kmsg.NewPtrDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = quorumTopic
	topic.Partitions = append(topic.Partitions, kmsg.NewDescribeQuorumRequestTopicPartition())
	req.Topics = append(req.Topics, topic)
	kresp, err := AskBrokers(ctx, client, brokers, req)
	if err != nil {
		return kmsg.DescribeQuorumResponseTopicPartition{}, fmt.Errorf("who leads the controller quorum: %w", err)
	}
	resp, ok := kresp.(*kmsg.DescribeQuorumResponse)
	if !ok || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 || resp.Topics[0].Partitions[0].LeaderID < 0 {
		return kmsg.DescribeQuorumResponseTopicPartition{}, errors.New("who leads the controller quorum: the brokers know no leader")
	}
	return resp.Topics[0].Partitions[0], nil
}

// PartitionState is one partition as a broker's metadata shows it.
type PartitionState struct {
	Leader      int
	LeaderEpoch int32
	ISR         []int32
	Replicas    []int32
}

// InSync says that the partition has a leader and every replica is in sync.
func (s PartitionState) InSync() bool { return s.Leader >= 0 && len(s.ISR) == len(s.Replicas) }

// Metadata is a broker's fresh answer, by topic and partition.
type Metadata struct {
	Brokers []int
	Topics  map[string]map[int32]PartitionState
}

// AskMetadata asks the given nodes in turn for fresh metadata of the topics (nil asks for all). A node that the others have
// fenced is gone from the client's own metadata and can't be asked by its number: see MetadataOf.
func AskMetadata(ctx context.Context, client *kgo.Client, nodes []int, topics ...string) (Metadata, error) {
	kresp, err := AskBrokers(ctx, client, nodes, metadataRequest(topics))
	if err != nil {
		return Metadata{}, fmt.Errorf("metadata: %w", err)
	}
	return readMetadata(kresp.(*kmsg.MetadataResponse)), nil
}

func metadataRequest(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = nil
	for _, t := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(t)
		req.Topics = append(req.Topics, topic)
	}
	return req
}

func readMetadata(resp *kmsg.MetadataResponse) Metadata {
	md := Metadata{Topics: map[string]map[int32]PartitionState{}}
	for _, b := range resp.Brokers {
		md.Brokers = append(md.Brokers, int(b.NodeID))
	}
	slices.Sort(md.Brokers)
	for _, t := range resp.Topics {
		if t.ErrorCode != 0 || t.Topic == nil {
			continue
		}
		parts := map[int32]PartitionState{}
		for _, p := range t.Partitions {
			parts[p.Partition] = PartitionState{
				Leader: int(p.Leader), LeaderEpoch: p.LeaderEpoch, ISR: p.ISR, Replicas: p.Replicas,
			}
		}
		md.Topics[*t.Topic] = parts
	}
	return md
}

// askFeatures returns the cluster's finalised feature levels, sorted by name.
func askFeatures(ctx context.Context, client *kgo.Client, nodes []int) ([]Feature, error) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "chaeos", "1"
	kresp, err := AskBrokers(ctx, client, nodes, req)
	if err != nil {
		return nil, fmt.Errorf("finalised features: %w", err)
	}
	var features []Feature
	for _, f := range kresp.(*kmsg.ApiVersionsResponse).FinalizedFeatures {
		features = append(features, Feature{Name: f.Name, Level: f.MaxVersionLevel})
	}
	slices.SortFunc(features, func(a, b Feature) int { return strings.Compare(a.Name, b.Name) })
	return features, nil
}
