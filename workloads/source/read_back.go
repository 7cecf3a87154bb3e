package workloads

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// readBack reads the source's topic, read_committed, up to the last stable offsets of the moment, and returns the
// sequence after the highest one that it has seen. A source that writes one transaction after the other, each a run of
// sequences, has committed everything below it.
func (s *source) readBack(ctx context.Context) (next uint64, err error) {
	ends, err := kadm.NewClient(s.kafka).ListCommittedOffsets(ctx, s.spec.Output)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("ends of %s: %w", s.spec.Output, err)
	}
	left, offsets := map[int32]int64{}, map[int32]kgo.Offset{}
	ends.Each(func(e kadm.ListedOffset) {
		if e.Offset > 0 {
			left[e.Partition], offsets[e.Partition] = e.Offset, kgo.NewOffset().AtStart()
		}
	})
	if len(left) == 0 {
		return 0, nil
	}
	// Markers are kept: without them a tail of nothing else would look like a partition that stands still.
	opts := append(clientOptions(s.spec), kgo.WithContext(ctx), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s.spec.Output: offsets}))
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
			if in, _, err := history.Decode(r.Value); err == nil && !r.Attrs.IsControl() && in.Run == s.spec.Run {
				next = max(next, in.Sequence+1)
			}
		})
	}
	return next, nil
}
