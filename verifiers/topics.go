package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// A row that writes to several topics has one log of all their partitions, numbered through the topics
// (harness.PipelineLayout.Place), and each input is due once in each topic: the key's class is the number of the output
// partition that it is due in. So every figure that counts inputs counts them once a topic, and a copy that one topic has
// and another lacks is a loss in that other.

// outputPartitions is how many output partitions a row has.
func outputPartitions(r *run, layout harness.PipelineLayout) int {
	return r.record.Plan.Partitions * len(layout.Outputs())
}

func (e *evidence) outputPartitions() int { return outputPartitions(e.run, e.layout) }

// at is an output partition by its number.
func (e *evidence) at(number int32) tp {
	topic, partition := e.layout.Place(number, e.run.record.Plan.Partitions)
	return tp{topic, partition}
}

// place names an output partition for people.
func (e *evidence) place(number int32) string {
	at := e.at(number)
	return fmt.Sprintf("%s/%d", at.topic, at.partition)
}

// inputOf is the input partition of a key's class.
func (e *evidence) inputOf(class int32) int32 {
	return class % int32(max(1, e.run.record.Plan.Partitions))
}

// due are the records of an input once for each topic that their outputs are due in.
func (e *evidence) due(input *keyset.Set, n uint64) (*keyset.Set, uint64) {
	topics := len(e.layout.Outputs())
	if topics == 1 {
		return input, n
	}
	all := keyset.New()
	for t := range topics {
		all.Union(input.Shifted(int32(t * e.run.record.Plan.Partitions)))
	}
	return all, n * uint64(topics)
}

// limits are the positions by the classes of keys.
func (e *evidence) limits() map[int32]int64 {
	limits := map[int32]int64{}
	for class := range int32(e.outputPartitions()) {
		limits[class] = e.position[e.inputOf(class)]
	}
	return limits
}

// apart are the inputs that a row's readers see in one of its topics and that are missing from another, by input
// partition and offset. What is hidden, or may lie in a part of a log that was not read, is not missing.
func (e *evidence) apart() *keyset.Set {
	partitions := int32(e.run.record.Plan.Partitions)
	seen, missing := keyset.New(), keyset.New()
	gone := e.lost.And(e.input)
	gone.Union(e.unprocessed)
	for t := range int32(len(e.layout.Outputs())) {
		here := func(class int32) bool { return class/partitions == t }
		seen.Union(e.out.seen.Where(here).Shifted(-t * partitions))
		missing.Union(gone.Where(here).Shifted(-t * partitions))
	}
	return seen.And(missing)
}
