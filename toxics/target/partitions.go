package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// FindPartitions resolves a target that selects partitions, in every topic that it means, sorted.
func (t Target) FindPartitions(v View) ([]ask.TopicPartition, error) {
	if t.Class() != Partitions {
		return nil, fmt.Errorf("%q selects %s, not partitions", t, t.Class())
	}
	texts, err := combine(t, func(atom Target) ([]string, error) { return atom.partitionsNow(v) })
	if err != nil {
		return nil, err
	}
	var found []ask.TopicPartition
	for _, text := range texts {
		topic, number, _ := strings.Cut(text, "/") // a topic's name has no slash
		p, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return nil, err
		}
		found = append(found, ask.TopicPartition{Topic: topic, Partition: int32(p)})
	}
	slices.SortFunc(found, ask.TopicPartition.Compare)
	return found, nil
}

// partitionsNow lists the partitions that one form selects, as text, which combine can order.
func (t Target) partitionsNow(v View) ([]string, error) {
	_, one := t.words["partition"]
	var found []string
	for _, topic := range v.Names(t.words["topic"]) {
		for p := range v.Topics[topic] {
			if !one || p == t.partition() {
				found = append(found, ask.TopicPartition{Topic: topic, Partition: p}.String())
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%q: there is no such partition", t)
	}
	return found, nil
}

// Concerning returns the partitions that matter to a pipeline.
func (v View) Concerning(partitions []ask.TopicPartition, l harness.PipelineLayout) []ask.TopicPartition {
	return slices.DeleteFunc(slices.Clone(partitions), func(p ask.TopicPartition) bool { return !v.Concerns(l, p.Topic) })
}
