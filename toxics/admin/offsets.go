package toxics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// committed is one committed offset of a group.
type committed struct {
	place
	offset int64
}

// fetchOffsets returns what a group has committed, sorted.
func fetchOffsets(ctx context.Context, f *harness.Field, group string) ([]committed, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = group, nil // all topics
	req.Groups = append(req.Groups, g)
	resp, err := askCoordinator[*kmsg.OffsetFetchResponse](ctx, f, group, pinned{req, namesVersion})
	if err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, err)
	}
	var found []committed
	for _, g := range resp.Groups {
		if err := codeError(g.ErrorCode, nil); err != nil {
			return nil, fmt.Errorf("offsets of group %s: %w", group, err)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if p.Offset >= 0 {
					found = append(found, committed{place{t.Topic, p.Partition}, p.Offset})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b committed) int { return cmp.Or(byPlace(a.place, b.place), cmp.Compare(a.offset, b.offset)) })
	return found, nil
}

// deleteOffsets deletes offsets of an empty group by request.
func deleteOffsets(ctx context.Context, f *harness.Field, group string, which []committed) error {
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = group
	for _, topic := range topicsIn(placesOf(which)) {
		t := kmsg.NewOffsetDeleteRequestTopic()
		t.Topic = topic
		for _, c := range which {
			if c.topic == topic {
				p := kmsg.NewOffsetDeleteRequestTopicPartition()
				p.Partition = c.partition
				t.Partitions = append(t.Partitions, p)
			}
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := askCoordinator[*kmsg.OffsetDeleteResponse](ctx, f, group, req)
	if err != nil {
		return fmt.Errorf("delete offsets of group %s: %w", group, err)
	}
	errs := []error{codeError(resp.ErrorCode, nil)}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := codeError(p.ErrorCode, nil); err != nil {
				errs = append(errs, fmt.Errorf("delete offset of %s/%d: %w", t.Topic, p.Partition, err))
			}
		}
	}
	return errors.Join(errs...)
}

// expiryVersion is the last version of OffsetCommit that carries a retention time of its own.
const expiryVersion = 4

// namesVersion is the last version of OffsetFetch that names topics: later ones know ids only.
const namesVersion = 9

// expireOffsets commits the same offsets once more, with a retention time of a millisecond: the broker's own clean-up
// finds them too old at its next round.
func expireOffsets(ctx context.Context, f *harness.Field, group string, which []committed) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.RetentionTimeMillis = group, -1, 1
	for _, topic := range topicsIn(placesOf(which)) {
		t := kmsg.NewOffsetCommitRequestTopic()
		t.Topic = topic
		for _, c := range which {
			if c.topic == topic {
				p := kmsg.NewOffsetCommitRequestTopicPartition()
				p.Partition, p.Offset, p.LeaderEpoch = c.partition, c.offset, -1
				t.Partitions = append(t.Partitions, p)
			}
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := askCoordinator[*kmsg.OffsetCommitResponse](ctx, f, group, pinned{req, expiryVersion})
	if err != nil {
		return fmt.Errorf("let offsets of group %s expire: %w", group, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := codeError(p.ErrorCode, nil); err != nil {
				return fmt.Errorf("let the offset of %s/%d expire: %w", t.Topic, p.Partition, err)
			}
		}
	}
	return nil
}

// pinned is a request that is sent in no newer version than the given one.
type pinned struct {
	kmsg.Request
	version int16
}

// MaxVersion is what the client asks for to choose a version.
func (p pinned) MaxVersion() int16 { return p.version }

func placesOf(which []committed) []place {
	var places []place
	for _, c := range which {
		places = append(places, c.place)
	}
	return places
}

// awaitNoOffsets waits until a group has no committed offset.
func awaitNoOffsets(ctx context.Context, f *harness.Field, group string) error {
	var missing error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		var left []committed
		if left, missing = fetchOffsets(ctx, f, group); missing == nil && len(left) > 0 {
			missing = fmt.Errorf("%d offsets are still there", len(left))
		}
		return missing == nil, nil
	})
	if err != nil {
		return fmt.Errorf("group %s still has offsets: %w (%w)", group, missing, context.Cause(ctx))
	}
	return nil
}
