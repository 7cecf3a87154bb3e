package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// Committed is one committed offset of a group.
type Committed struct {
	TopicPartition
	Offset int64
}

// FetchOffsets returns the offsets that a group has committed, sorted.
func FetchOffsets(ctx context.Context, f *harness.Field, group string) ([]Committed, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = group, nil // all topics
	req.Groups = append(req.Groups, g)
	resp, err := AskCoordinator[*kmsg.OffsetFetchResponse](ctx, f, group, pinned{req, namesVersion})
	if err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, err)
	}
	var found []Committed
	for _, g := range resp.Groups {
		if err := CodeError(g.ErrorCode, nil); err != nil {
			return nil, fmt.Errorf("offsets of group %s: %w", group, err)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if p.Offset >= 0 {
					found = append(found, Committed{TopicPartition{t.Topic, p.Partition}, p.Offset})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Committed) int {
		return cmp.Or(Compare(a.TopicPartition, b.TopicPartition), cmp.Compare(a.Offset, b.Offset))
	})
	return found, nil
}

// DeleteOffsets deletes offsets of an empty group, as an administrator does.
func DeleteOffsets(ctx context.Context, f *harness.Field, group string, which []Committed) error {
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = group
	for _, topic := range TopicsOf(partitionsOf(which)) {
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
	resp, err := AskCoordinator[*kmsg.OffsetDeleteResponse](ctx, f, group, req)
	if err != nil {
		return fmt.Errorf("delete offsets of group %s: %w", group, err)
	}
	errs := []error{CodeError(resp.ErrorCode, nil)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := CodeError(p.ErrorCode, nil); err != nil {
				errs = append(errs, fmt.Errorf("delete offset of %s/%d: %w", t.Topic, p.Partition, err))
			}
		}
	}
	return errors.Join(errs...)
}

// expiryVersion is the last version of OffsetCommit that carries a retention time of its own.
const expiryVersion = 4

// namesVersion is the last version of OffsetFetch that names topics: later ones have ids only.
const namesVersion = 9

// ExpireOffsets commits the same offsets again with a retention time of a millisecond: the broker's own clean-up finds them
// too old at its next round.
func ExpireOffsets(ctx context.Context, f *harness.Field, group string, which []Committed) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.RetentionTimeMillis = group, -1, 1
	for _, topic := range TopicsOf(partitionsOf(which)) {
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
	resp, err := AskCoordinator[*kmsg.OffsetCommitResponse](ctx, f, group, pinned{req, expiryVersion})
	if err != nil {
		return fmt.Errorf("let offsets of group %s expire: %w", group, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := CodeError(p.ErrorCode, nil); err != nil {
				return fmt.Errorf("let the offset of %s/%d expire: %w", t.Topic, p.Partition, err)
			}
		}
	}
	return nil
}

// pinned is a request whose version must not be newer than the given one.
type pinned struct {
	kmsg.Request
	version int16
}

// MaxVersion is what the client asks for to choose a version.
func (p pinned) MaxVersion() int16 { return p.version }

func partitionsOf(which []Committed) []TopicPartition {
	var all []TopicPartition
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
