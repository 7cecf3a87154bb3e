package toxics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// restartWithin bounds the heal of one worker.
const restartWithin = 20 * time.Second

// findTargetWorkers resolves a target that selects workers, among those in one of the given states.
func findTargetWorkers(ctx context.Context, f *harness.Field, target string, among []harness.MemberState) ([]string, error) {
	t, err := ParseTarget(target)
	if err != nil {
		return nil, err
	}
	return t.findWorkers(ctx, f, among)
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

// member returns the named member as it is now.
func member(f *harness.Field, name string) (harness.Member, error) {
	members := f.Fleet.Members()
	i := slices.IndexFunc(members, func(m harness.Member) bool { return m.Name == name })
	if i < 0 {
		return harness.Member{}, fmt.Errorf("the run has no member %q", name)
	}
	return members[i], nil
}

// together does the same to several members at once.
func together(names []string, do func(at int, name string) error) error {
	errs := make([]error, len(names))
	var doing sync.WaitGroup
	for i, name := range names {
		doing.Go(func() { errs[i] = do(i, name) })
	}
	doing.Wait()
	return errors.Join(errs...)
}
