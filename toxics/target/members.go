package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// RoleWorker is harness.Member's role of a worker.
const RoleWorker = "worker"

// ServiceMember is the external service's name in the fleet.
const ServiceMember = "service"

// OwnedBy lists the partitions that are assigned to any of the named workers now.
func OwnedBy(f *harness.Field, names []string) []int32 {
	owned := map[int32]bool{}
	for _, m := range f.Fleet.Members() {
		if slices.Contains(names, m.Name) {
			for _, p := range m.Partitions {
				owned[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(owned))
}

// Member returns the named member as it is now.
func Member(f *harness.Field, name string) (harness.Member, error) {
	members := f.Fleet.Members()
	i := slices.IndexFunc(members, func(m harness.Member) bool { return m.Name == name })
	if i < 0 {
		return harness.Member{}, fmt.Errorf("the run has no member %q", name)
	}
	return members[i], nil
}

// ResolveWorkers describes workers for people: "auto-commit-0 (owns output/0,2), idempotent-1 (owns output/0,1)".
func ResolveWorkers(f *harness.Field, names []string) harness.Resolved {
	var texts []string
	for _, name := range names {
		text := name
		if owned := OwnedBy(f, []string{name}); len(owned) > 0 {
			text = fmt.Sprintf("%s (owns %s)", name, PartitionList(Output, owned))
		}
		texts = append(texts, text)
	}
	return harness.Resolved{Text: strings.Join(texts, ", "), Members: names, Partitions: OwnedBy(f, names)}
}

// The states in which a member's process can be ended by force, and those in which it hears a signal.
var (
	Living     = []harness.MemberState{harness.MemberRunning, harness.MemberPaused}
	Responsive = Living[:1]
)
