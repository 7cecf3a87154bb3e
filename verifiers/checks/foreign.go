package checks

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkForeign counts visible output records that are not this run's: no envelope, another run's, or of an input that
// the source never sent.
func checkForeign(e *Facts, n *harness.Numbers) []Finding {
	n.Foreign = e.Out.Foreign
	var found []Finding
	if n.Foreign > 0 {
		found = doubt("%s output records are not this run's: somebody else wrote to %s", words.Number(n.Foreign), strings.Join(e.Layout.Outputs(), " or "))
	}
	if !e.Layout.ProducerOnly && e.In.Foreign > 0 {
		found = append(found, doubt("%s input records are not this run's", words.Number(e.In.Foreign))...)
	}
	if e.Out.Unmatched > 0 {
		found = append(found, note("%s outputs name an input that is not, or no longer, where they say in the input log", words.Number(e.Out.Unmatched))...)
	}
	return found
}
