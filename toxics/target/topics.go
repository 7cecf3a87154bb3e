package toxics

import (
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

const outputs = "output"

const input = "input"

const offsetsTopic = "__consumer_offsets"

const shareStateTopic = "__share_group_state"

const transactionsTopic = "__transaction_state"

// topicsOf lists the topics a run's faults care for: input and outputs.
func topicsOf(plan harness.TopicPlan) []string {
	names := append([]string{plan.Input}, plan.Outputs()...)
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// names returns the topics that a selector's topic stands for.
func (v view) names(topic string) []string {
	switch topic {
	case outputs:
		return v.plan.Outputs()
	case input:
		return []string{v.plan.Input}
	}
	if l, err := v.plan.Pipeline(topic); err == nil {
		return l.Outputs()
	}
	return []string{topic}
}

func isInternal(topic string) bool { return strings.HasPrefix(topic, "__") }

// ledBy lists the partitions of the run's own topics that any of the brokers leads, sorted.
func (v view) ledBy(brokers []int, topics ...string) []int32 {
	led := map[int32]bool{}
	for _, topic := range topics {
		for p, state := range v.topics[topic] {
			if slices.Contains(brokers, state.Leader) {
				led[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(led))
}

// topicsRead lists the topics whose leaders matter to a pipeline.
func (v view) topicsRead(l harness.PipelineLayout) []string {
	if l.ProducerOnly {
		return l.Outputs()
	}
	if l.Effects {
		return []string{v.plan.Input}
	}
	return append([]string{v.plan.Input}, l.Outputs()...)
}

// numbers lists a topic's partitions.
func (v view) numbers(topic string) []int32 { return slices.Sorted(maps.Keys(v.topics[topic])) }

// concerns says whether a topic matters to a pipeline: it reads or writes it, or its coordinator keeps its log there.
func (v view) concerns(l harness.PipelineLayout, topic string) bool {
	switch topic {
	case offsetsTopic:
		return l.Group != ""
	case shareStateTopic:
		return l.ShareGroup
	case transactionsTopic:
		return len(l.TransactionalIDs) > 0
	}
	return slices.Contains(v.topicsRead(l), topic)
}

// generic is the name that stands for a topic in targets: a run's real names say little to people.
func (v view) generic(topic string) string {
	if topic == v.plan.Input {
		return input
	}
	if _, ok := v.pipelineOf(topic); ok {
		return outputs
	}
	return topic
}

// pipelineOf is the pipeline whose output a topic is.
func (v view) pipelineOf(topic string) (string, bool) {
	for _, l := range v.plan.Pipelines {
		if slices.Contains(l.Outputs(), topic) {
			return l.Name, true
		}
	}
	return "", false
}

// replicas is a place's order of replicas.
// leader is who led a partition when it was looked at, negative where nobody did.
func (v view) leader(p place) int { return v.topics[p.topic][p.partition].Leader }

func (v view) replicas(p place) []int32 { return v.topics[p.topic][p.partition].Replicas }
