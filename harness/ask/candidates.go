package ask

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Candidates are the brokers that may lead a partition without losing anything.
type Candidates struct {
	// Leader is the present leader, -1 where there is none.
	Leader      int
	LeaderEpoch int32
	// Eligible are the replicas in sync and the eligible leader replicas (KIP-966), which may lead when the ISR is empty; and
	// the last known leader, when all were lost uncleanly. They are sorted.
	Eligible []int32
}

func (c Candidates) epoch() int32 { return c.LeaderEpoch }

// Has reports whether a node may lead without a loss.
func (c Candidates) Has(node int) bool { return slices.Contains(c.Eligible, int32(node)) }

// candidatesAtOnce is how many partitions a broker may answer for: more than a run's topics have.
const candidatesAtOnce = 2000

// Candidates asks every node at once, and believes of each partition the answer with the highest leader epoch. Metadata
// doesn't show eligible leader replicas. It fails when no node answers, and with ErrUnknownTopics when none knows a topic.
func (b Brokers) Candidates(ctx context.Context, topics ...string) (map[TopicPartition]Candidates, error) {
	answers, err := answered(All[*kmsg.DescribeTopicPartitionsResponse](ctx, b, func() kmsg.Request {
		req := kmsg.NewPtrDescribeTopicPartitionsRequest()
		req.ResponsePartitionLimit = candidatesAtOnce
		for _, name := range topics {
			t := kmsg.NewDescribeTopicPartitionsRequestTopic()
			t.Topic = name
			req.Topics = append(req.Topics, t)
		}
		return req
	}))
	if err != nil {
		return nil, err
	}
	found := map[TopicPartition]Candidates{}
	for _, a := range answers {
		addCandidates(found, a.Response)
	}
	if len(found) == 0 {
		return nil, ErrUnknownTopics
	}
	return found, nil
}

func addCandidates(found map[TopicPartition]Candidates, resp *kmsg.DescribeTopicPartitionsResponse) {
	for _, t := range resp.Topics {
		if t.Topic == nil {
			continue
		}
		for _, p := range t.Partitions {
			all := slices.Concat(p.ISR, p.EligibleLeaderReplicas, p.LastKnownELR)
			slices.Sort(all)
			keepNewest(found, TopicPartition{*t.Topic, p.Partition}, Candidates{int(p.LeaderID), p.LeaderEpoch, slices.Compact(all)})
		}
	}
}
