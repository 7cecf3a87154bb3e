package readback

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// Settled reports whether nothing is under way any more: on every input and output partition the last stable offset is the
// high watermark, and every group's committed offsets are stable. Why names what is not settled. The error is what kept it
// from finding out; like a no, it may pass. The brokers must be asked over links that no fault touches
// (harness.DirectClient).
func Settled(ctx context.Context, brokers ask.Brokers, plan harness.TopicPlan) (settled bool, why string, err error) {
	brokers = brokers.Within(requestTimeout)
	leaders, err := brokers.Leaders(ctx, topics(plan)...)
	if err != nil {
		return false, "no broker tells which broker leads", err
	}
	for _, tp := range partitions(plan) {
		if _, ok := leaders[tp]; !ok {
			return false, fmt.Sprintf("%s has no leader", tp), nil
		}
	}
	// In this order: an offset that moves meanwhile makes a log look unsettled, never settled.
	lso, err := brokers.LeaderOffsets(ctx, leaders, ask.LastStableOffset)
	if err != nil {
		return false, "a broker does not tell its last stable offsets", err
	}
	hw, err := brokers.LeaderOffsets(ctx, leaders, ask.HighWatermark)
	if err != nil {
		return false, "a broker does not tell its high watermarks", err
	}
	if behind := behindWatermark(partitions(plan), lso, hw); len(behind) > 0 {
		return false, strings.Join(behind, "; "), nil
	}
	if _, err := CommittedOffsets(ctx, brokers, plan); err != nil {
		return false, "committed offsets are not stable", err
	}
	return true, "", nil
}

// behindWatermark lists the partitions whose last stable offset is behind the high watermark.
func behindWatermark(partitions []ask.TopicPartition, lso, hw map[ask.TopicPartition]int64) []string {
	var behind []string
	for _, tp := range partitions {
		if lso[tp] < hw[tp] {
			behind = append(behind, fmt.Sprintf("%s: last stable offset %d, high watermark %d", tp, lso[tp], hw[tp]))
		}
	}
	slices.Sort(behind)
	return behind
}
