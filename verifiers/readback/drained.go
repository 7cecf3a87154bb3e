package readback

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// Drained says whether every group's positions have reached the ends of the input log; why counts what is left. It is a
// wait, not a verdict: a marker at the end of an input partition is never passed by a position, so it is right only as
// long as sources write without transactions. The error is what kept it from finding out; like a no, it may pass.
func Drained(ctx context.Context, client *kgo.Client, plan harness.TopicPlan) (drained bool, why string, err error) {
	positions, err := Positions(ctx, client, plan)
	if err != nil {
		return false, "", err
	}
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, plan.Input)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return false, "", fmt.Errorf("ends of %s: %w", plan.Input, err)
	}
	left := map[string]int64{}
	for _, p := range positions {
		if end, ok := ends.Lookup(p.Topic, p.Partition); ok && max(p.Offset, 0) < end.Offset {
			left[p.Group] += end.Offset - max(p.Offset, 0)
		}
	}
	return len(left) == 0, backlog(left), nil
}

// backlog says how many records each group has still to work off.
func backlog(left map[string]int64) string {
	var parts []string
	for _, group := range slices.Sorted(maps.Keys(left)) {
		parts = append(parts, fmt.Sprintf("%s: %d records left", group, left[group]))
	}
	return strings.Join(parts, ", ")
}
