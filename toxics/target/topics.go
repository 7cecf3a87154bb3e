package target

import (
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// The names that targets have for a run's topics: every pipeline's output, and the shared input.
const (
	Output = "output"
	Input  = "input"
)

// The internal topics that pipelines depend on.
const (
	OffsetsTopic      = "__consumer_offsets"
	TransactionsTopic = "__transaction_state"
	shareStateTopic   = "__share_group_state"
)

// TopicsOf lists a run's own topics: input and outputs.
func TopicsOf(plan harness.TopicPlan) []string {
	names := append([]string{plan.Input}, plan.Outputs()...)
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// Names returns the topics that a target means by a topic's name.
func (v View) Names(topic string) []string {
	switch topic {
	case Output:
		return v.plan.Outputs()
	case Input:
		return []string{v.plan.Input}
	}
	if l, err := v.plan.Pipeline(topic); err == nil {
		return l.Outputs()
	}
	return []string{topic}
}

// Internal reports whether a topic is one of Kafka's own.
func Internal(topic string) bool { return strings.HasPrefix(topic, "__") }

// LedBy lists the partition numbers of the topics that any of the brokers leads, sorted.
func (v View) LedBy(brokers []int, topics ...string) []int32 {
	led := map[int32]bool{}
	for _, topic := range topics {
		for p, state := range v.Topics[topic] {
			if slices.Contains(brokers, state.Leader) {
				led[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(led))
}

// topicsRead lists the topics whose leaders matter to a pipeline.
func (v View) topicsRead(l harness.PipelineLayout) []string {
	if l.ProducerOnly {
		return l.Outputs()
	}
	if l.Effects {
		return []string{v.plan.Input}
	}
	return append([]string{v.plan.Input}, l.Outputs()...)
}

// Numbers lists a topic's partition numbers.
func (v View) Numbers(topic string) []int32 { return slices.Sorted(maps.Keys(v.Topics[topic])) }

// Concerns reports whether a topic matters to a pipeline: it reads or writes the topic, or its coordinator keeps its log there.
func (v View) Concerns(l harness.PipelineLayout, topic string) bool {
	switch topic {
	case OffsetsTopic:
		return l.Group != ""
	case shareStateTopic:
		return l.ShareGroup
	case TransactionsTopic:
		return len(l.TransactionalIDs) > 0
	}
	return slices.Contains(v.topicsRead(l), topic)
}

// Generic is the name that targets have for a topic: a run's real names say little to people.
func (v View) Generic(topic string) string {
	if topic == v.plan.Input {
		return Input
	}
	if _, ok := v.pipelineOf(topic); ok {
		return Output
	}
	return topic
}

// pipelineOf returns the pipeline whose output a topic is.
func (v View) pipelineOf(topic string) (string, bool) {
	for _, l := range v.plan.Pipelines {
		if slices.Contains(l.Outputs(), topic) {
			return l.Name, true
		}
	}
	return "", false
}

// Leader is the broker that led a partition at the time of the look, negative if none did.
func (v View) Leader(p ask.TopicPartition) int { return v.Topics[p.Topic][p.Partition].Leader }

// Replicas is a partition's order of replicas: the first is the preferred leader.
func (v View) Replicas(p ask.TopicPartition) []int32 {
	return v.Topics[p.Topic][p.Partition].Replicas
}
