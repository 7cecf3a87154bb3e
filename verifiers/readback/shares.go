package readback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// startsOf asks for a share group's positions: the start offset of each share-partition, below which every record was
// acknowledged or given up (KIP-932, DescribeShareGroupOffsets). Brokers move the start they tell behind the
// acknowledgements, and where nothing comes any more they leave it there; but they count what lies above it and was
// acknowledged or given up. Where so nothing is left (KIP-1226, a lag of 0), the position is the log's end.
func startsOf(ctx context.Context, client *kgo.Client, group string, plan harness.TopicPlan) ([]observation.Position, error) {
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
	g.GroupID = group
	t := kmsg.NewDescribeShareGroupOffsetsRequestGroupTopic()
	t.Topic = plan.Input
	for p := range plan.Partitions {
		t.Partitions = append(t.Partitions, int32(p))
	}
	g.Topics = append(g.Topics, t)
	req.Groups = append(req.Groups, g)
	// Before the group: what is counted as left then is left of at least this.
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, plan.Input)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("ends of %s: %w", plan.Input, err)
	}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("start offsets of share group %s: %w", group, err)
	}
	var all []observation.Position
	for _, g := range resp.Groups {
		if errors.Is(kerr.ErrorForCode(g.ErrorCode), kerr.GroupIDNotFound) {
			return noneCommitted(group, plan), nil
		}
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, fmt.Errorf("start offsets of share group %s: %w", group, err)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return nil, fmt.Errorf("start offset of share group %s in %s/%d: %w", group, plan.Input, p.Partition, err)
				}
				at := p.StartOffset
				if end, ok := ends.Lookup(plan.Input, p.Partition); ok && p.Lag == 0 {
					at = max(at, end.Offset)
				}
				all = append(all, observation.Position{Group: group, Topic: plan.Input, Partition: p.Partition, Offset: at})
			}
		}
	}
	slices.SortFunc(all, func(a, b observation.Position) int { return cmp.Compare(a.Partition, b.Partition) })
	if len(all) != plan.Partitions {
		return nil, fmt.Errorf("start offsets of share group %s: %d of %d partitions answered", group, len(all), plan.Partitions)
	}
	return all, nil
}
