package harness

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	offsetsTopic      = "__consumer_offsets"
	transactionsTopic = "__transaction_state"
)

// createTopics makes the input, the outputs and, if they are not there yet, the internal topics, all with explicit
// replicas: brokers choose internal replicas at random, and a run must know where its coordinators are.
func createTopics(ctx context.Context, client *kgo.Client, plan TopicPlan) error {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 15_000
	for _, name := range plan.topics() {
		req.Topics = append(req.Topics, newTopic(plan, name, plan.Partitions, map[string]string{
			"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1",
			"min.insync.replicas": strconv.Itoa(plan.MinISR),
		}))
	}
	internal := plan.internalTopics()
	for _, name := range plan.internalNames() {
		req.Topics = append(req.Topics, newTopic(plan, name, InternalPartitions, internal[name]))
	}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return fmt.Errorf("creating topics: %w", err)
	}
	for _, t := range resp.Topics {
		err := kerr.ErrorForCode(t.ErrorCode)
		if err != nil && (internal[t.Topic] == nil || !errors.Is(err, kerr.TopicAlreadyExists)) {
			return fmt.Errorf("creating topic %s: %w (%s)", t.Topic, err, deref(t.ErrorMessage))
		}
	}
	return nil
}

func newTopic(plan TopicPlan, name string, partitions int, configs map[string]string) kmsg.CreateTopicsRequestTopic {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = name, -1, -1
	for p := range int32(partitions) {
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition = p
		for _, r := range plan.Replicas[p] {
			a.Replicas = append(a.Replicas, int32(r))
		}
		t.ReplicaAssignment = append(t.ReplicaAssignment, a)
	}
	for k, v := range configs {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = k, kmsg.StringPtr(v)
		t.Configs = append(t.Configs, c)
	}
	return t
}

// topics lists the run's own topics, the input first.
func (p TopicPlan) topics() []string {
	return append([]string{p.Input}, p.Outputs()...)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
