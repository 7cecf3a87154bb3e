package rows

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// Question is a record that somebody asks about in one pipeline. At are its places in the pipeline's input log (none: it is
// not there); a record of a source under test needs none.
type Question struct {
	Pipeline string
	history.Identity
	At []harness.Place
}

// keeping says which anomalies are kept in full; counts are exact whatever is kept.
type Keep struct {
	// most is how many of a kind are kept of a pipeline.
	Most int
	// asked are the records whose anomalies are kept beyond that.
	Asked []Question
}

// keys are the keys of the records asked about in a row.
func (k Keep) keys(layout harness.PipelineLayout, partitions int) map[keyset.Key]bool {
	keys := map[keyset.Key]bool{}
	for _, q := range k.Asked {
		switch {
		case q.Pipeline != layout.Name || q.Source != layout.Source:
		case layout.ProducerOnly:
			keys[keyset.BySequence(q.Sequence, partitions)] = true
		default:
			for _, p := range q.At {
				keys[keyset.Key{Class: p.Partition, Index: uint64(p.Offset)}] = true
			}
		}
	}
	return keys
}

// asksFor reports whether a source's record is asked about.
func (k Keep) AsksFor(id history.Identity) bool {
	return slices.ContainsFunc(k.Asked, func(q Question) bool { return q.Identity == id })
}
