package readback

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// startsOf asks for the start offset of each of a share group's partitions, below which every record was acknowledged or
// given up (-1: the group never was). Brokers move the start that they report after the acknowledgements, and where nothing
// comes any more they don't move it to the end. But they count the records above it that are neither acknowledged nor given
// up. Where none is left (KIP-1226, a lag of 0), the log's end takes the start's place.
func startsOf(ctx context.Context, brokers ask.Brokers, group string, plan harness.TopicPlan) (map[ask.TopicPartition]int64, error) {
	// Before the group: what is then counted as left is left of at least this.
	_, ends, err := inputEnds(ctx, brokers, plan)
	if err != nil {
		return nil, err
	}
	offsets, err := brokers.ShareOffsets(ctx, group, inputs(plan)...)
	if err != nil {
		return nil, fmt.Errorf("start offsets: %w", err)
	}
	starts := map[ask.TopicPartition]int64{}
	for tp, at := range offsets {
		starts[tp] = at.Start
		if at.Lag == 0 {
			starts[tp] = max(at.Start, ends[tp])
		}
	}
	return starts, nil
}

// inputEnds asks for the high watermarks of all input partitions, and for their leaders.
func inputEnds(ctx context.Context, brokers ask.Brokers, plan harness.TopicPlan) (map[ask.TopicPartition]ask.Leader, map[ask.TopicPartition]int64, error) {
	leaders, err := brokers.Leaders(ctx, plan.Input)
	if err != nil {
		return nil, nil, err
	}
	for _, tp := range inputs(plan) {
		if _, ok := leaders[tp]; !ok {
			return nil, nil, fmt.Errorf("%s has no leader", tp)
		}
	}
	ends, err := brokers.LeaderOffsets(ctx, leaders, ask.HighWatermark)
	if err != nil {
		return nil, nil, fmt.Errorf("ends of %s: %w", plan.Input, err)
	}
	return leaders, ends, nil
}
