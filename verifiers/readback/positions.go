package readback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Positions asks, with RequireStable, or of a share group for its start offsets, for the committed position of every group of the plan in every input partition
// (-1: none). It fails while a transaction holds one of them (UNSTABLE_OFFSET_COMMIT). Ask again, or use it to see how
// far a pipeline has drained.
func Positions(ctx context.Context, client *kgo.Client, plan harness.TopicPlan) ([]observation.Position, error) {
	var all []observation.Position
	asked := map[string]bool{"": true}
	for _, p := range plan.Pipelines {
		if asked[p.Group] {
			continue
		}
		asked[p.Group] = true
		ask := positionsOf
		if p.ShareGroup {
			ask = startsOf
		}
		positions, err := ask(ctx, client, p.Group, plan)
		if err != nil {
			return nil, err
		}
		all = append(all, positions...)
	}
	return all, nil
}

func positionsOf(ctx context.Context, client *kgo.Client, group string, plan harness.TopicPlan) ([]observation.Position, error) {
	resp, err := offsetFetch(group, plan).RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("positions of group %s: %w", group, err)
	}
	var all []observation.Position
	for _, g := range resp.Groups {
		if errors.Is(kerr.ErrorForCode(g.ErrorCode), kerr.GroupIDNotFound) {
			return noneCommitted(group, plan), nil
		}
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, fmt.Errorf("positions of group %s: %w", group, err)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return nil, fmt.Errorf("position of group %s in %s/%d: %w", group, plan.Input, p.Partition, err)
				}
				all = append(all, observation.Position{Group: group, Topic: plan.Input, Partition: p.Partition, Offset: p.Offset})
			}
		}
	}
	slices.SortFunc(all, func(a, b observation.Position) int { return cmp.Compare(a.Partition, b.Partition) })
	if len(all) != plan.Partitions {
		return nil, fmt.Errorf("positions of group %s: %d of %d partitions answered", group, len(all), plan.Partitions)
	}
	return all, nil
}

// noneCommitted are the positions of a group that never was.
func noneCommitted(group string, plan harness.TopicPlan) []observation.Position {
	var all []observation.Position
	for p := range plan.Partitions {
		all = append(all, observation.Position{Group: group, Topic: plan.Input, Partition: int32(p), Offset: -1})
	}
	return all
}

func offsetFetch(group string, plan harness.TopicPlan) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic = plan.Input
	for p := range plan.Partitions {
		t.Partitions = append(t.Partitions, int32(p))
	}
	g.Topics = append(g.Topics, t)
	req.Groups = append(req.Groups, g)
	return req
}

// fetchPositions asks until every position is stable, for as long as patience lasts; then the index says what is missing.
func (r *reading) fetchPositions(ctx context.Context) error {
	until := time.Now().Add(patience)
	return wait.Poll(ctx, retryEvery, func() (bool, error) {
		positions, err := Positions(ctx, r.client, r.spec.Plan)
		if err == nil {
			r.index.Positions = positions
			return true, nil
		}
		if time.Now().After(until) {
			r.index.Failures = append(r.index.Failures, err.Error())
			return true, nil
		}
		return false, nil
	})
}
