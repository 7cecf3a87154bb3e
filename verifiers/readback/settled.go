package readback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Settled says whether nothing is under way any more: on every input and output partition the last stable offset is the
// high watermark, and every group's positions are stable. Why names what is not settled. The error is what kept it from
// finding out; like a no, it may pass. Client must dial links that no fault touches (harness.DirectClient).
func Settled(ctx context.Context, client *kgo.Client, cluster harness.Cluster, plan harness.TopicPlan) (settled bool, why string, err error) {
	found, err := brokers.Leaders(ctx, client, cluster.Info().Nodes, topics(plan))
	if err != nil {
		return false, "no broker tells who leads", err
	}
	byBroker := map[int32]map[brokers.TP]int32{}
	for _, tp := range partitions(plan) {
		leader, ok := found[tp]
		if !ok {
			return false, fmt.Sprintf("%s has no leader", tp), nil
		}
		if byBroker[leader.Broker] == nil {
			byBroker[leader.Broker] = map[brokers.TP]int32{}
		}
		byBroker[leader.Broker][tp] = leader.Epoch
	}
	var open []string
	for broker, tps := range byBroker {
		behind, err := unstable(ctx, client, broker, tps)
		if err != nil {
			return false, fmt.Sprintf("broker %d does not tell its ends", broker), err
		}
		open = append(open, behind...)
	}
	if len(open) > 0 {
		slices.Sort(open)
		return false, strings.Join(open, "; "), nil
	}
	if _, err := Positions(ctx, client, plan); err != nil {
		return false, "positions are not stable", err
	}
	return true, "", nil
}

// unstable lists a broker's partitions whose last stable offset is behind the high watermark.
func unstable(ctx context.Context, client *kgo.Client, broker int32, tps map[brokers.TP]int32) ([]string, error) {
	lso, err1 := brokers.ListOffsets(ctx, client, broker, brokers.Ask{Isolation: 1, Timestamp: brokers.Latest, Partitions: tps})
	hw, err2 := brokers.ListOffsets(ctx, client, broker, brokers.Ask{Isolation: 0, Timestamp: brokers.Latest, Partitions: tps})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var behind []string
	for tp := range tps {
		a, b := lso[tp], hw[tp]
		if err := errors.Join(a.Err, b.Err); err != nil {
			return nil, fmt.Errorf("%s: %w", tp, err)
		}
		if a.Offset < b.Offset {
			behind = append(behind, fmt.Sprintf("%s: last stable offset %d, high watermark %d", tp, a.Offset, b.Offset))
		}
	}
	return behind, nil
}

// findOpen names the transactions that are still open in a partition, as its leader tells: those the log shows without a
// marker, with their ids.
func (r *reading) findOpen(ctx context.Context, p *observation.Partition) error {
	if p.HW < 0 {
		return nil
	}
	err := r.leaders.ask(ctx, tpOf(p), func(leader brokers.Leader) error {
		open, err := brokers.OpenTransactions(ctx, r.client, leader.Broker, tpOf(p))
		if err != nil {
			return err
		}
		for i := range open {
			open[i].AskedMillis = time.Now().UnixMilli()
			// Unnamed is still open: the name is for people, the offset decides.
			_ = brokers.NameTransaction(ctx, r.client, r.nodes, &open[i])
		}
		if len(open) > 0 || len(p.Open) == 0 {
			p.Open = open
		}
		return nil
	})
	if err != nil {
		fail(p, fmt.Errorf("its open transactions could not be listed: %w", err))
	}
	return nil
}
