package verifiers

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// checkForeign counts visible output records that are not this run's: no envelope, another run's, or of an input that
// the source never sent.
func checkForeign(e *facts, n *harness.Numbers) []finding {
	n.Foreign = e.out.foreign
	var found []finding
	if n.Foreign > 0 {
		found = doubt("%s output records are not this run's: somebody else wrote to %s", number(n.Foreign), strings.Join(e.layout.Outputs(), " or "))
	}
	if !e.layout.ProducerOnly && e.in.foreign > 0 {
		found = append(found, doubt("%s input records are not this run's", number(e.in.foreign))...)
	}
	if e.out.orphans > 0 {
		found = append(found, note("%s outputs name an input that is not, or no longer, where they say in the input log", number(e.out.orphans))...)
	}
	return found
}
