package toxics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// election types of ElectLeaders.
const (
	preferredElection = int8(0)
	uncleanElection   = int8(1)
)

// reorder makes the given replica lists those of the places. The sets stay the same, so that no data moves.
func reorder(ctx context.Context, f *harness.Field, replicas map[place][]int32) error {
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = int32(adminTimeout.Milliseconds())
	byTopic := map[string][]kmsg.AlterPartitionAssignmentsRequestTopicPartition{}
	for p, list := range replicas {
		part := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		part.Partition, part.Replicas = p.partition, list
		byTopic[p.topic] = append(byTopic[p.topic], part)
	}
	for topic, parts := range byTopic {
		t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
		t.Topic, t.Partitions = topic, parts
		req.Topics = append(req.Topics, t)
	}
	resp, err := askAdmin[*kmsg.AlterPartitionAssignmentsResponse](ctx, f, req)
	if err != nil {
		return fmt.Errorf("reorder replicas: %w", err)
	}
	errs := []error{codeError(resp.ErrorCode, resp.ErrorMessage)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := codeError(p.ErrorCode, p.ErrorMessage); err != nil {
				errs = append(errs, fmt.Errorf("reorder replicas of %s/%d: %w", t.Topic, p.Partition, err))
			}
		}
	}
	return errors.Join(errs...)
}

// elect asks for an election in each place and returns what went wrong in which. A partition that has its preferred
// leader already needs none.
func elect(ctx context.Context, f *harness.Field, kind int8, places []place) (map[place]error, error) {
	req := kmsg.NewPtrElectLeadersRequest()
	req.ElectionType, req.TimeoutMillis = kind, int32(adminTimeout.Milliseconds())
	for _, topic := range topicsIn(places) {
		t := kmsg.NewElectLeadersRequestTopic()
		t.Topic = topic
		for _, p := range places {
			if p.topic == topic {
				t.Partitions = append(t.Partitions, p.partition)
			}
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := askAdmin[*kmsg.ElectLeadersResponse](ctx, f, req)
	if err == nil {
		err = codeError(resp.ErrorCode, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("elect leaders: %w", err)
	}
	failed := map[place]error{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			err := codeError(p.ErrorCode, p.ErrorMessage)
			if err != nil && !errors.Is(err, kerr.ElectionNotNeeded) {
				failed[place{t.Topic, p.Partition}] = fmt.Errorf("elect a leader of %s/%d: %w", t.Topic, p.Partition, err)
			}
		}
	}
	return failed, nil
}

// withFirst moves one entry to the front.
func withFirst(list []int32, first int32) []int32 {
	return append([]int32{first}, slices.DeleteFunc(slices.Clone(list), func(n int32) bool { return n == first })...)
}

// awaitLeaders waits until each place has the leader it should have, and returns those that don't when ctx ends.
func awaitLeaders(ctx context.Context, f *harness.Field, next map[place]int) error {
	var missing error
	var places []place
	for p := range next {
		places = append(places, p)
	}
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		now, _, err := newestTopics(ctx, f.Admin, f.Cluster.Info().Nodes, topicsIn(places)...)
		if missing = err; err != nil {
			return false, nil
		}
		for p, want := range next {
			if leader := now[p.topic][p.partition].Leader; leader != want {
				missing = fmt.Errorf("%s is led by %d, not %d", p, leader, want)
			}
		}
		return missing == nil, nil
	})
	if err != nil {
		return errors.Join(missing, err)
	}
	return nil
}

// agreed says where brokers name different leaders, or none. Brokers that are down are not asked.
func agreed(ctx context.Context, f *harness.Field, places []place) error {
	var first map[string]map[int32]harness.PartitionState
	for _, node := range f.Cluster.Info().Nodes {
		md, err := harness.AskMetadata(ctx, f.Admin, []int{node}, topicsIn(places)...)
		if err != nil {
			continue
		}
		if first == nil {
			first = md.Topics
		}
		for _, p := range places {
			a, b := first[p.topic][p.partition], md.Topics[p.topic][p.partition]
			if a.Leader != b.Leader || b.Leader < 0 {
				return fmt.Errorf("%s is led by %d, says one broker, and by %d, says broker %d", p, a.Leader, b.Leader, node)
			}
		}
	}
	if first == nil {
		return errors.New("no broker answers")
	}
	return nil
}

// putBack restores one partition's order of replicas, and its preferred leader unless that one is down or behind: then
// whoever leads goes on.
func putBack(ctx context.Context, f *harness.Field, p place, order []int32) error {
	var last error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		if last = reorder(ctx, f, map[place][]int32{p: order}); last != nil {
			return false, nil
		}
		var failed map[place]error
		if failed, last = elect(ctx, f, preferredElection, []place{p}); last != nil {
			return false, nil
		}
		return failed[p] == nil || errors.Is(failed[p], kerr.PreferredLeaderNotAvailable), nil
	})
	return errors.Join(last, err)
}

// movable lists the replicas in sync that don't lead, in assignment order.
func movable(s harness.PartitionState) []int {
	var can []int
	for _, r := range s.Replicas {
		if int(r) != s.Leader && slices.Contains(s.ISR, r) {
			can = append(can, int(r))
		}
	}
	return can
}
