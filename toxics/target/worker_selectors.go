package target

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/admin"
)

// ownerWithin is how long a target waits for a group that is rebalancing: meanwhile no worker owns the partition.
const ownerWithin = 10 * time.Second

// awaitWorkers finds a target's workers, one in every pipeline that has any. Workers in none of the given states count as
// dead.
func awaitWorkers(ctx context.Context, f *harness.Field, t Target, among []harness.MemberState) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, ownerWithin)
	defer cancel()
	var found []string
	err := admin.Until(ctx, func() (err error) {
		members := f.Fleet.Members()
		for i := range members {
			if !slices.Contains(among, members[i].State) {
				members[i].State, members[i].Partitions = harness.MemberDead, nil
			}
		}
		found, err = t.workersNow(members)
		return err
	})
	return found, err
}

// inEveryPipeline picks one worker in each pipeline that has workers, a running one if several match: a frozen one still
// believes that it owns partitions that were assigned to others. A pipeline without a match is an error.
func inEveryPipeline(members []harness.Member, t Target, matches func(harness.Member) bool) ([]string, error) {
	picked := map[string]harness.Member{}
	for _, m := range members {
		if m.Role != RoleWorker {
			continue
		}
		old := picked[m.Pipeline]
		if matches(m) && (m.State == harness.MemberRunning || old.State != harness.MemberRunning) {
			old = m
		}
		picked[m.Pipeline] = old
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("%q: the run has no workers", t)
	}
	var names []string
	for _, pipeline := range slices.Sorted(maps.Keys(picked)) {
		name := picked[pipeline].Name
		if name == "" {
			return nil, fmt.Errorf("%q: pipeline %s has no such worker running now", t, pipeline)
		}
		names = append(names, name)
	}
	return names, nil
}

// allWorkers lists every worker that is not dead.
func allWorkers(members []harness.Member, t Target) ([]string, error) {
	var names []string
	for _, m := range members {
		if m.Role == RoleWorker && m.State != harness.MemberDead {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%q: no worker runs now", t)
	}
	return names, nil
}

// workerNumber picks a worker in any state: if there is nothing to hit, the fault on its process says so itself.
func workerNumber(members []harness.Member, t Target) ([]string, error) {
	return inEveryPipeline(members, t, func(m harness.Member) bool { return m.Number == t.number("number") })
}

func ownerOf(members []harness.Member, t Target) ([]string, error) {
	return inEveryPipeline(members, t, func(m harness.Member) bool { return slices.Contains(m.Partitions, t.partition()) })
}

// findWorkers resolves a target that selects workers, among those in one of the given states. It waits a moment while a group
// rebalances.
func (t Target) findWorkers(ctx context.Context, f *harness.Field, among []harness.MemberState) ([]string, error) {
	if t.Class() != Workers {
		return nil, fmt.Errorf("%q selects %s, not workers", t, t.Class())
	}
	t.draw = drawOf(f)
	return awaitWorkers(ctx, f, t, among)
}

// workersNow resolves a target that selects workers as they are now. A random target is one worker in every pipeline.
func (t Target) workersNow(members []harness.Member) ([]string, error) {
	found, err := combine(t, func(atom Target) ([]string, error) { return atom.form.workers(members, atom) })
	if err != nil || !t.random() {
		return found, err
	}
	byPipeline := map[string][]string{}
	for _, m := range members {
		if slices.Contains(found, m.Name) {
			byPipeline[m.Pipeline] = append(byPipeline[m.Pipeline], m.Name)
		}
	}
	var picked []string
	for _, names := range byPipeline {
		picked = append(picked, names[t.draw%uint64(len(names))])
	}
	slices.Sort(picked)
	return picked, nil
}

// FindWorkers resolves a target that selects workers, among those in one of the given states.
func FindWorkers(ctx context.Context, f *harness.Field, selector string, among []harness.MemberState) ([]string, error) {
	t, err := Parse(selector)
	if err != nil {
		return nil, err
	}
	return t.findWorkers(ctx, f, among)
}
