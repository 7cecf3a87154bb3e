package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// fromEmptyGroups is what faults that take committed offsets from groups have in common: brokers refuse it while a group has members.
type fromEmptyGroups struct {
	within time.Duration
	// take takes the offsets from one group, and returns what they were.
	take func(ctx context.Context, f *harness.Field, i *injection, group string) ([]committed, error)
}

// inject waits for every group to be empty before it takes anything from the first.
func (e fromEmptyGroups) inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	groups, err := findGroups(f, selector)
	if err != nil {
		return nil, err
	}
	v, err := look(ctx, f)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, harness.Resolved{
		Text: "groups of " + strings.Join(slices.Sorted(maps.Keys(groups)), ", "), Partitions: v.numbers(f.Plan.Input),
	})
	ctx, cancel := context.WithTimeoutCause(ctx, e.within, fmt.Errorf("not within %s", e.within))
	defer cancel()
	for _, group := range groups {
		if err := awaitEmpty(ctx, f, group); err != nil {
			return i, err
		}
	}
	i.inFlight = inFlight(f) // of the deletion, not of the wait
	had := map[string][]committed{}
	for pipeline, group := range groups {
		if had[pipeline], err = e.take(ctx, f, i, group); err != nil {
			return i, err
		}
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return offsetsProof(had[l.Name]) }
	}
	i.began(ctx, v, v.nodes)
	return i, nil
}

func offsetsProof(had []committed) (string, bool) {
	if len(had) == 0 {
		return notTouched("its group had no committed offsets to lose")
	}
	var texts []string
	for _, c := range had {
		texts = append(texts, fmt.Sprintf("%s/%d %d", input, c.partition, c.offset))
	}
	return "committed offsets gone: " + strings.Join(texts, ", "), true
}
