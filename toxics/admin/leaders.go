package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// The election types of ElectLeaders.
const (
	PreferredElection = int8(0)
	UncleanElection   = int8(1)
)

// Reorder gives partitions the given lists of replicas. Callers keep the sets as they are, so that no data moves.
func Reorder(ctx context.Context, f *harness.Field, replicas map[ask.TopicPartition][]int32) error {
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = int32(RequestTimeout.Milliseconds())
	byTopic := map[string][]kmsg.AlterPartitionAssignmentsRequestTopicPartition{}
	for p, list := range replicas {
		part := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		part.Partition, part.Replicas = p.Partition, list
		byTopic[p.Topic] = append(byTopic[p.Topic], part)
	}
	for topic, parts := range byTopic {
		t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
		t.Topic, t.Partitions = topic, parts
		req.Topics = append(req.Topics, t)
	}
	resp, err := Ask[*kmsg.AlterPartitionAssignmentsResponse](ctx, f, req)
	if err != nil {
		return fmt.Errorf("reorder replicas: %w", err)
	}
	errs := []error{ask.CodeError(resp.ErrorCode, resp.ErrorMessage)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := ask.CodeError(p.ErrorCode, p.ErrorMessage); err != nil {
				errs = append(errs, fmt.Errorf("reorder replicas of %s/%d: %w", t.Topic, p.Partition, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Elect asks for an election in each partition, and returns what went wrong in which. That a partition already has its
// preferred leader is no error.
func Elect(ctx context.Context, f *harness.Field, kind int8, partitions []ask.TopicPartition) (map[ask.TopicPartition]error, error) {
	req := kmsg.NewPtrElectLeadersRequest()
	req.ElectionType, req.TimeoutMillis = kind, int32(RequestTimeout.Milliseconds())
	for _, topic := range ask.Topics(partitions) {
		t := kmsg.NewElectLeadersRequestTopic()
		t.Topic = topic
		for _, p := range partitions {
			if p.Topic == topic {
				t.Partitions = append(t.Partitions, p.Partition)
			}
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := Ask[*kmsg.ElectLeadersResponse](ctx, f, req)
	if err == nil {
		err = ask.CodeError(resp.ErrorCode, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("elect leaders: %w", err)
	}
	failed := map[ask.TopicPartition]error{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			err := ask.CodeError(p.ErrorCode, p.ErrorMessage)
			if err != nil && !errors.Is(err, kerr.ElectionNotNeeded) {
				failed[ask.TopicPartition{Topic: t.Topic, Partition: p.Partition}] = fmt.Errorf("elect a leader of %s/%d: %w", t.Topic, p.Partition, err)
			}
		}
	}
	return failed, nil
}

// WithFirst moves one entry to the front.
func WithFirst(list []int32, first int32) []int32 {
	return append([]int32{first}, slices.DeleteFunc(slices.Clone(list), func(n int32) bool { return n == first })...)
}

// AwaitLeaders waits until each partition has the leader it should have.
func AwaitLeaders(ctx context.Context, f *harness.Field, next map[ask.TopicPartition]int) error {
	topics := ask.Topics(slices.Collect(maps.Keys(next)))
	return Until(ctx, func() error {
		now, _, err := f.Brokers().Newest(ctx, topics...)
		if err != nil {
			return err
		}
		for p, want := range next {
			if leader := now.Topics[p.Topic][p.Partition].Leader; leader != want {
				return fmt.Errorf("%s is led by %d, not %d", p, leader, want)
			}
		}
		return nil
	})
}

// Agreed returns an error where brokers name different leaders, or none. Brokers that don't answer have no say.
func Agreed(ctx context.Context, f *harness.Field, partitions []ask.TopicPartition) error {
	var first map[string]map[int32]ask.PartitionState
	for _, node := range f.Brokers().Nodes() {
		md, err := f.Brokers().Only(node).Metadata(ctx, ask.Topics(partitions)...)
		if err != nil {
			continue
		}
		if first == nil {
			first = md.Topics
		}
		for _, p := range partitions {
			a, b := first[p.Topic][p.Partition], md.Topics[p.Topic][p.Partition]
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

// PutBack restores one partition's order of replicas, and its preferred leader. Where that one is down or behind, the present
// leader stays.
func PutBack(ctx context.Context, f *harness.Field, p ask.TopicPartition, order []int32) error {
	return Until(ctx, func() error {
		if err := Reorder(ctx, f, map[ask.TopicPartition][]int32{p: order}); err != nil {
			return err
		}
		failed, err := Elect(ctx, f, PreferredElection, []ask.TopicPartition{p})
		if err == nil && !errors.Is(failed[p], kerr.PreferredLeaderNotAvailable) {
			err = failed[p]
		}
		return err
	})
}

// Movable lists the replicas in sync that don't lead, in the order of the assignment.
func Movable(s ask.PartitionState) []int {
	var can []int
	for _, r := range s.Replicas {
		if int(r) != s.Leader && slices.Contains(s.ISR, r) {
			can = append(can, int(r))
		}
	}
	return can
}
