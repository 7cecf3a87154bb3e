package admin

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
)

// Candidates are the brokers that may lead a partition without losing anything.
type Candidates struct {
	Leader int
	Epoch  int32
	// Eligible are the replicas in sync and the eligible leader replicas (KIP-966), which may lead when the ISR is empty; and
	// the last known leader, when all were lost uncleanly.
	Eligible []int32
}

// AskCandidates asks every node and takes the answer with the newest leader epoch. It does not use Metadata requests, which
// don't show eligible leader replicas.
func AskCandidates(ctx context.Context, f *harness.Field, topics []string) (map[TopicPartition]Candidates, error) {
	nodes := f.Cluster.Info().Nodes
	answers, errs := together.Ask(nodes, func(node int) (*kmsg.DescribeTopicPartitionsResponse, error) {
		req := kmsg.NewPtrDescribeTopicPartitionsRequest()
		req.ResponsePartitionLimit = 2000
		for _, name := range topics {
			t := kmsg.NewDescribeTopicPartitionsRequestTopic()
			t.Topic = name
			req.Topics = append(req.Topics, t)
		}
		return AskNodes[*kmsg.DescribeTopicPartitionsResponse](ctx, f.Admin, []int{node}, req)
	})
	found := map[TopicPartition]Candidates{}
	for at, resp := range answers {
		if errs[at] == nil {
			addCandidates(found, resp)
		}
	}
	if len(found) == 0 {
		return nil, errors.Join(append(errs, ErrUnknownTopics)...)
	}
	return found, nil
}

func addCandidates(found map[TopicPartition]Candidates, resp *kmsg.DescribeTopicPartitionsResponse) {
	for _, t := range resp.Topics {
		if t.Topic == nil {
			continue
		}
		for _, p := range t.Partitions {
			at := TopicPartition{*t.Topic, p.Partition}
			if old, known := found[at]; known && old.Epoch >= p.LeaderEpoch {
				continue
			}
			all := slices.Concat(p.ISR, p.EligibleLeaderReplicas, p.LastKnownELR)
			slices.Sort(all)
			found[at] = Candidates{int(p.LeaderID), p.LeaderEpoch, slices.Compact(all)}
		}
	}
}

// Has reports whether a node may lead without a loss.
func (c Candidates) Has(node int) bool { return slices.Contains(c.Eligible, int32(node)) }
