package ask

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

// String returns the topic and the partition as users type them: "output/0".
func (tp TopicPartition) String() string { return fmt.Sprintf("%s/%d", tp.Topic, tp.Partition) }

// Compare orders by topic, then by partition.
func (tp TopicPartition) Compare(other TopicPartition) int {
	return cmp.Or(cmp.Compare(tp.Topic, other.Topic), cmp.Compare(tp.Partition, other.Partition))
}

// Topics lists the topics of partitions, each once, sorted.
func Topics(partitions []TopicPartition) []string {
	topics := map[string]bool{}
	for _, tp := range partitions {
		topics[tp.Topic] = true
	}
	return slices.Sorted(maps.Keys(topics))
}

// byTopic groups partitions for requests, which name each topic once. Topics and partitions are sorted.
func byTopic(partitions []TopicPartition) (topics []string, numbers map[string][]int32) {
	numbers = map[string][]int32{}
	for _, tp := range slices.SortedFunc(slices.Values(partitions), TopicPartition.Compare) {
		numbers[tp.Topic] = append(numbers[tp.Topic], tp.Partition)
	}
	return Topics(partitions), numbers
}
