package target

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// FindSources returns the running sources of producer-only pipelines that a target means.
func FindSources(members []harness.Member, t Target) ([]string, error) {
	var names []string
	for _, m := range members {
		if m.Role != RoleWorker && m.Pipeline != "" && m.State == harness.MemberRunning && t.Means(m.Pipeline) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%q: no such source is running", t)
	}
	return names, nil
}
