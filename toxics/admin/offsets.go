package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// Committed is one committed offset of a group.
type Committed struct {
	ask.TopicPartition
	Offset int64
}

// FetchOffsets returns the offsets that a group has committed, sorted.
func FetchOffsets(ctx context.Context, f *harness.Field, group string) ([]Committed, error) {
	offsets, err := f.Brokers().CommittedOffsets(ctx, group, false)
	if err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, err)
	}
	var found []Committed
	for _, tp := range slices.SortedFunc(maps.Keys(offsets), ask.TopicPartition.Compare) {
		found = append(found, Committed{tp, offsets[tp]})
	}
	return found, nil
}

// DeleteOffsets deletes offsets of an empty group, as an administrator does.
func DeleteOffsets(ctx context.Context, f *harness.Field, group string, which []Committed) error {
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = group
	for _, topic := range ask.Topics(partitionsOf(which)) {
		t := kmsg.NewOffsetDeleteRequestTopic()
		t.Topic = topic
		for _, c := range which {
			if c.Topic == topic {
				p := kmsg.NewOffsetDeleteRequestTopicPartition()
				p.Partition = c.Partition
				t.Partitions = append(t.Partitions, p)
			}
		}
		req.Topics = append(req.Topics, t)
	}
	resp, _, err := ask.Coordinated[*kmsg.OffsetDeleteResponse](ctx, f.Brokers(), group, req)
	if err != nil {
		return fmt.Errorf("delete offsets of group %s: %w", group, err)
	}
	errs := []error{ask.CodeError(resp.ErrorCode, nil)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := ask.CodeError(p.ErrorCode, nil); err != nil {
				errs = append(errs, fmt.Errorf("delete offset of %s/%d: %w", t.Topic, p.Partition, err))
			}
		}
	}
	return errors.Join(errs...)
}

// expiryVersion is the last version of OffsetCommit that carries a retention time of its own.
const expiryVersion = 4

// ExpireOffsets commits the same offsets again with a retention time of a millisecond: the broker's own clean-up finds them
// too old at its next round.
func ExpireOffsets(ctx context.Context, f *harness.Field, group string, which []Committed) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.RetentionTimeMillis = group, -1, 1
	for _, topic := range ask.Topics(partitionsOf(which)) {
		t := kmsg.NewOffsetCommitRequestTopic()
		t.Topic = topic
		for _, c := range which {
			if c.Topic == topic {
				p := kmsg.NewOffsetCommitRequestTopicPartition()
				p.Partition, p.Offset, p.LeaderEpoch = c.Partition, c.Offset, -1
				t.Partitions = append(t.Partitions, p)
			}
		}
		req.Topics = append(req.Topics, t)
	}
	resp, _, err := ask.Coordinated[*kmsg.OffsetCommitResponse](ctx, f.Brokers(), group, ask.Pin(req, expiryVersion))
	if err != nil {
		return fmt.Errorf("let offsets of group %s expire: %w", group, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := ask.CodeError(p.ErrorCode, nil); err != nil {
				return fmt.Errorf("let the offset of %s/%d expire: %w", t.Topic, p.Partition, err)
			}
		}
	}
	return nil
}

func partitionsOf(which []Committed) []ask.TopicPartition {
	var all []ask.TopicPartition
	for _, c := range which {
		all = append(all, c.TopicPartition)
	}
	return all
}

// AwaitNoOffsets waits until a group has no committed offset.
func AwaitNoOffsets(ctx context.Context, f *harness.Field, group string) error {
	err := Until(ctx, func() error {
		left, err := FetchOffsets(ctx, f, group)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%d offsets are still there", len(left))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("group %s still has offsets: %w", group, err)
	}
	return nil
}
