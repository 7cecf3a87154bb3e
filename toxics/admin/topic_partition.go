package admin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// TopicPartition is one partition of one topic.
type TopicPartition struct {
	Topic     string
	Partition int32
}

func (p TopicPartition) String() string { return fmt.Sprintf("%s/%d", p.Topic, p.Partition) }

// Compare orders partitions by topic and number.
func Compare(a, b TopicPartition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// TopicsOf lists the topics of partitions, each once, sorted.
func TopicsOf(partitions []TopicPartition) []string {
	topics := map[string]bool{}
	for _, p := range partitions {
		topics[p.Topic] = true
	}
	return slices.Sorted(maps.Keys(topics))
}
