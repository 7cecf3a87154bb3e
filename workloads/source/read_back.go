package source

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
)

// readBack reads the source's topic with read_committed, up to the present last stable offsets, and returns the sequence
// after the highest that it found. A source that writes one transaction after the other, each a span of sequences, has
// committed everything below it.
func (s *source) readBack(ctx context.Context) (next uint64, err error) {
	left, err := s.stableOffsets(ctx)
	if err != nil || len(left) == 0 {
		return 0, err
	}
	starts := map[int32]kgo.Offset{}
	for p := range left {
		starts[p] = kgo.NewOffset().AtStart()
	}
	// Markers are kept: without them a tail of markers only would look like a partition that makes no progress.
	opts := append(member.ClientOptions(s.Spec), kgo.WithContext(ctx), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s.Spec.Output: starts}))
	reader, err := kgo.NewClient(opts...)
	if err != nil {
		return 0, fmt.Errorf("kafka client: %w", err)
	}
	defer reader.Close()
	for len(left) > 0 {
		fetches := reader.PollFetches(ctx)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
			if in, _, err := history.Decode(r.Value); err == nil && !r.Attrs.IsControl() && in.Run == s.Spec.Run {
				next = max(next, in.Sequence+1)
			}
		})
	}
	return next, nil
}

// stableOffsets are the last stable offsets of the topic's partitions that hold anything.
func (s *source) stableOffsets(ctx context.Context) (map[int32]int64, error) {
	ends, err := kadm.NewClient(s.kafka).ListCommittedOffsets(ctx, s.Spec.Output)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("ends of %s: %w", s.Spec.Output, err)
	}
	stable := map[int32]int64{}
	ends.Each(func(e kadm.ListedOffset) {
		if e.Offset > 0 {
			stable[e.Partition] = e.Offset
		}
	})
	return stable, nil
}
