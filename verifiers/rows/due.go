package rows

import (
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// A row that writes to several topics has one log of all their partitions, numbered through the topics
// (harness.PipelineLayout.Place), and each input is due once in each topic: the key's class is the number of the output
// partition that it is due in. So every figure that counts inputs counts them once a topic, and a copy that one topic has
// and another lacks is a loss in that other.

func (e *Row) OutputPartitions() int { return e.Run.OutputPartitions(e.Layout) }

// inputOf is the input partition of a key's class.
func (e *Row) InputOf(class int32) int32 {
	return class % int32(max(1, e.Run.Record.Plan.Partitions))
}

// due are the records of an input once for each topic that their outputs are due in.
func (e *Row) due(input *keyset.Set, n uint64) (*keyset.Set, uint64) {
	topics := len(e.Layout.Outputs())
	if topics == 1 {
		return input, n
	}
	all := keyset.New()
	for t := range topics {
		all.Union(input.Shifted(int32(t * e.Run.Record.Plan.Partitions)))
	}
	return all, n * uint64(topics)
}

// limits are the positions by the classes of keys.
func (e *Row) limits() map[int32]int64 {
	limits := map[int32]int64{}
	for class := range int32(e.OutputPartitions()) {
		limits[class] = e.Passed[e.InputOf(class)]
	}
	return limits
}
