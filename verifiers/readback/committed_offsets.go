package readback

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// CommittedOffsets asks for every group's committed offset in every input partition (-1: none), in the order of the plan. A
// share group has none: its start offsets take their place. It fails while a transaction holds one of them
// (UNSTABLE_OFFSET_COMMIT). Ask again, or use it to see how far a pipeline has drained.
func CommittedOffsets(ctx context.Context, brokers ask.Brokers, plan harness.TopicPlan) ([]observation.Position, error) {
	var all []observation.Position
	asked := map[string]bool{"": true}
	for _, p := range plan.Pipelines {
		if asked[p.Group] {
			continue
		}
		asked[p.Group] = true
		question := committedBy
		if p.ShareGroup {
			question = startsOf
		}
		offsets, err := question(ctx, brokers, p.Group, plan)
		if err != nil {
			return nil, err
		}
		for _, tp := range inputs(plan) {
			all = append(all, observation.Position{Group: p.Group, Topic: tp.Topic, Partition: tp.Partition, Offset: offsets[tp]})
		}
	}
	return all, nil
}

func committedBy(ctx context.Context, brokers ask.Brokers, group string, plan harness.TopicPlan) (map[ask.TopicPartition]int64, error) {
	offsets, err := brokers.CommittedOffsets(ctx, group, true, inputs(plan)...)
	if err != nil {
		return nil, fmt.Errorf("committed offsets: %w", err)
	}
	return offsets, nil
}

// inputs are the input's partitions.
func inputs(plan harness.TopicPlan) []ask.TopicPartition {
	var all []ask.TopicPartition
	for p := range plan.Partitions {
		all = append(all, ask.TopicPartition{Topic: plan.Input, Partition: int32(p)})
	}
	return all
}

// fetchCommitted asks until every committed offset is stable, for as long as patience lasts. Then the index says what is
// missing.
func (r *reading) fetchCommitted(ctx context.Context) error {
	until := time.Now().Add(patience)
	return wait.Poll(ctx, retryEvery, func() (bool, error) {
		offsets, err := CommittedOffsets(ctx, r.brokers, r.spec.Plan)
		if err == nil {
			r.index.Positions = offsets
			return true, nil
		}
		if time.Now().After(until) {
			r.index.Failures = append(r.index.Failures, err.Error())
			return true, nil
		}
		return false, nil
	})
}
