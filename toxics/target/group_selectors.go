package target

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// FindGroups resolves a target that selects groups; the groups' names are by pipeline.
func FindGroups(f *harness.Field, selector string) (map[string]string, error) {
	t, err := Parse(selector)
	if err != nil {
		return nil, err
	}
	if t.Class() != Groups {
		return nil, fmt.Errorf("%q selects %s, not groups", t, t.Class())
	}
	names, err := combine(t, func(atom Target) ([]string, error) { return groupsOf(f, atom), nil })
	if err != nil {
		return nil, fmt.Errorf("no pipeline of the run has such a group: %w", err)
	}
	found := map[string]string{}
	for _, l := range f.Plan.Pipelines {
		if slices.Contains(names, l.Name) {
			found[l.Name] = l.Group
		}
	}
	return found, nil
}

// groupsOf lists the pipelines whose groups one form selects. The offsets of share groups are not the group's to lose.
func groupsOf(f *harness.Field, t Target) []string {
	var names []string
	for _, l := range f.Plan.Pipelines {
		if l.Group != "" && !l.ShareGroup && t.Means(l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}
