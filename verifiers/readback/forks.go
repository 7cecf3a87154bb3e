package readback

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// errNoMore is a segment whose hashes differed, and whose batches do not: neither reading proves anything.
var errNoMore = errors.New("the replicas differed when they were read, and no more when they were read again")

// findForks reads one segment of both logs again, as far as the replica was read, and notes what differs.
func (c *comparison) findForks(ctx context.Context, number int64) error {
	var here map[int64]observation.Copy
	err := c.leaders.ask(ctx, tpOf(c.log), func(leader ask.Leader) (err error) {
		here, err = c.batchesOf(ctx, leader, number)
		return err
	})
	if err != nil {
		return fmt.Errorf("read offset %d again: %w", number*segmentOffsets, err)
	}
	there, err := c.batchesOf(ctx, c.at, number)
	if err == nil && maps.Equal(here, there) {
		err = errNoMore
	}
	if err != nil {
		return fmt.Errorf("read offset %d again: %w", number*segmentOffsets, err)
	}
	c.counted = c.replica.Compare(here, there, c.counted)
	return nil
}

// batchesOf reads the batches of one segment by their first offsets. A log can start within a batch of the segment before.
func (c *comparison) batchesOf(ctx context.Context, from ask.Leader, number int64) (map[int64]observation.Copy, error) {
	all := map[int64]observation.Copy{}
	next := max(c.log.LogStart, number*segmentOffsets)
	end := min(c.replica.Reached, max(next+1, (number+1)*segmentOffsets))
	for next < end {
		got, err := fetch(ctx, c.brokers, from, question{tp: tpOf(c.log), offset: next})
		if err != nil {
			return nil, err
		}
		before := next
		next, err = skim(got.batches, next, end, func(b *kmsg.RecordBatch, sum uint32) {
			if b.FirstOffset/segmentOffsets == number {
				all[b.FirstOffset] = copyOf(b, sum)
			}
		})
		if err == nil && next == before {
			err = errNothing
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func copyOf(b *kmsg.RecordBatch, sum uint32) observation.Copy {
	c := observation.Copy{
		First: b.FirstOffset, Last: lastOffset(b), LeaderEpoch: b.PartitionLeaderEpoch, ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch,
		BaseSequence: b.FirstSequence, CRC: uint32(b.CRC),
	}
	if sum != c.CRC {
		c.Damaged, c.Content = true, sum
	}
	return c
}
