package kit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// FromEmptyGroups is what faults that remove committed offsets have in common. Brokers refuse to while a group has members.
type FromEmptyGroups struct {
	Within time.Duration
	// Take removes the offsets of one group, and returns what they were.
	Take func(ctx context.Context, f *harness.Field, i *inject.Injection, group string) ([]admin.Committed, error)
}

// Inject waits until every group is empty before it removes anything from the first.
func (e FromEmptyGroups) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	groups, err := target.FindGroups(f, selector)
	if err != nil {
		return nil, err
	}
	v, err := target.Look(ctx, f)
	if err != nil {
		return nil, err
	}
	i := inject.New(f, harness.Resolved{
		Text: "groups of " + strings.Join(slices.Sorted(maps.Keys(groups)), ", "), Partitions: v.Numbers(f.Plan.Input),
	})
	ctx, cancel := context.WithTimeoutCause(ctx, e.Within, fmt.Errorf("not within %s", e.Within))
	defer cancel()
	for _, group := range groups {
		if err := admin.AwaitEmpty(ctx, f, group); err != nil {
			return i, err
		}
	}
	i.InFlight = inject.InFlight(f) // of the removal, not of the wait
	had := map[string][]admin.Committed{}
	for pipeline, group := range groups {
		if had[pipeline], err = e.Take(ctx, f, i, group); err != nil {
			return i, err
		}
	}
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return offsetsProof(had[l.Name]) }
	}
	i.Began(ctx, v, v.Nodes)
	return i, nil
}

func offsetsProof(had []admin.Committed) (string, bool) {
	if len(had) == 0 {
		return inject.NotTouched("its group had no committed offsets to lose")
	}
	var texts []string
	for _, c := range had {
		texts = append(texts, fmt.Sprintf("%s/%d %d", target.Input, c.Partition, c.Offset))
	}
	return "committed offsets gone: " + strings.Join(texts, ", "), true
}
