package jepsen

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// keys numbers a row's logs: Jepsen names a topic-partition by an integer. First come the partitions of the input, then
// the output partitions by their numbers (harness.PipelineLayout.Place), then as many that stand for the pipeline as a
// whole, from an input partition to an output partition. A row whose source is under test has output partitions only.
type keys struct {
	layout     harness.PipelineLayout
	plan       harness.TopicPlan
	partitions int32
	outputs    int32
}

func newKeys(plan harness.TopicPlan, layout harness.PipelineLayout) keys {
	partitions := int32(max(1, plan.Partitions))
	return keys{layout: layout, plan: plan, partitions: partitions, outputs: partitions * int32(len(layout.Outputs()))}
}

// inputs is how many input partitions the row reads.
func (k keys) inputs() int32 {
	if k.layout.ProducerOnly {
		return 0
	}
	return k.partitions
}

func (k keys) output(number int32) int32 { return k.inputs() + number }

// through is the key of the pipeline as a whole, by the number of its output partition.
func (k keys) through(number int32) int32 { return k.inputs() + k.outputs + number }

// written is the key that the row's source writes to.
func (k keys) written(partition int32) int32 { return partition }

// has reports whether the plan knows an input partition.
func (k keys) has(partition int32) bool { return partition >= 0 && partition < k.partitions }

// logs are all keys of logs, without those of the pipeline as a whole.
func (k keys) logs() []int32 { return upTo(0, k.inputs()+k.outputs) }

// all are all keys.
func (k keys) all() []int32 {
	if k.layout.ProducerOnly {
		return k.logs()
	}
	return upTo(0, k.inputs()+2*k.outputs)
}

// name is what a key means.
func (k keys) name(key int32) string {
	switch {
	case key < k.inputs():
		return fmt.Sprintf("%s/%d", k.plan.Input, key)
	case key < k.through(0):
		topic, partition := k.layout.Place(key-k.inputs(), k.plan.Partitions)
		return fmt.Sprintf("%s/%d", topic, partition)
	}
	number := key - k.through(0)
	topic, partition := k.layout.Place(number, k.plan.Partitions)
	return fmt.Sprintf("%s/%d to %s/%d", k.plan.Input, number%k.partitions, topic, partition)
}

// numberOf is the number of an output topic's partition.
func (k keys) numberOf(topic string, partition int32) (number int32, ok bool) {
	if !k.has(partition) {
		return 0, false
	}
	for i, t := range k.layout.Outputs() {
		if t == topic {
			return int32(i)*k.partitions + partition, true
		}
	}
	return 0, false
}

func upTo(from, to int32) []int32 {
	var list []int32
	for k := from; k < to; k++ {
		list = append(list, k)
	}
	return list
}
