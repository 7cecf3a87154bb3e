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

// OwnedBy lists the partitions that workers hold now.
func OwnedBy(f *harness.Field, names []string) []int32 {
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

// Member returns the named member as it is now.
func Member(f *harness.Field, name string) (harness.Member, error) {
	members := f.Fleet.Members()
	i := slices.IndexFunc(members, func(m harness.Member) bool { return m.Name == name })
	if i < 0 {
		return harness.Member{}, fmt.Errorf("the run has no member %q", name)
	}
	return members[i], nil
}

// ResolveWorkers describes workers for people: "auto-commit-0 (partitions 0,2), idempotent-1 (partitions 0,1)".
func ResolveWorkers(f *harness.Field, names []string) harness.Resolved {
	var texts []string
	for _, name := range names {
		text := name
		if held := OwnedBy(f, []string{name}); len(held) > 0 {
			text = fmt.Sprintf("%s (holds %s)", name, PartitionList(Output, held))
		}
		texts = append(texts, text)
	}
	return harness.Resolved{Text: strings.Join(texts, ", "), Members: names, Partitions: OwnedBy(f, names)}
}

var Living = []harness.MemberState{harness.MemberRunning, harness.MemberPaused}

var Responsive = Living[:1]
