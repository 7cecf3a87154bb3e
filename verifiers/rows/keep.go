package rows

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Question is a record that somebody asks about in one pipeline. At are its offsets in the pipeline's input log (none: it is
// not there); a record of a source under test needs none.
type Question struct {
	Pipeline string
	history.Identity
	At []harness.Place
}

// Keep says which anomalies are kept in full; counts are exact whatever is kept.
type Keep struct {
	// Most is how many of a kind are kept of a pipeline.
	Most int
	// Asked are the records whose anomalies are kept beyond that.
	Asked []Question
}

// AsksFor reports whether a source's record is asked about.
func (k Keep) AsksFor(id history.Identity) bool {
	return slices.ContainsFunc(k.Asked, func(q Question) bool { return q.Identity == id })
}
