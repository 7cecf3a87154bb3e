package toxics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// roleWorker is harness.Member's role of a worker.
const roleWorker = "worker"

// serviceMember is the external service's name in the fleet.
const serviceMember = "service"

// heldBy lists the partitions that workers hold now.
func heldBy(f *harness.Field, names []string) []int32 {
	held := map[int32]bool{}
	for _, m := range f.Fleet.Members() {
		if slices.Contains(names, m.Name) {
			for _, p := range m.Partitions {
				held[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(held))
}

// member returns the named member as it is now.
func member(f *harness.Field, name string) (harness.Member, error) {
	members := f.Fleet.Members()
	i := slices.IndexFunc(members, func(m harness.Member) bool { return m.Name == name })
	if i < 0 {
		return harness.Member{}, fmt.Errorf("the run has no member %q", name)
	}
	return members[i], nil
}

// workersResolved describes workers for people: "auto-commit-0 (partitions 0,2), idempotent-1 (partitions 0,1)".
func workersResolved(f *harness.Field, names []string) harness.Resolved {
	var texts []string
	for _, name := range names {
		text := name
		if held := heldBy(f, []string{name}); len(held) > 0 {
			text = fmt.Sprintf("%s (holds %s)", name, partitions(outputs, held))
		}
		texts = append(texts, text)
	}
	return harness.Resolved{Text: strings.Join(texts, ", "), Members: names, Partitions: heldBy(f, names)}
}

var living = []harness.MemberState{harness.MemberRunning, harness.MemberPaused}

var obedient = living[:1]
