package toxics

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// sourcesOf picks the running sources of producer-only pipelines that a target means.
func sourcesOf(members []harness.Member, t Target) ([]string, error) {
	var names []string
	for _, m := range members {
		if m.Role != roleWorker && m.Pipeline != "" && m.State == harness.MemberRunning && t.means(m.Pipeline) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%q: no such source is running", t)
	}
	return names, nil
}
