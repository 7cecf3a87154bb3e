package readback

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Drained reports whether every group has committed all records of the input log; why counts what is left. It is a wait, not
// a verdict. A log's end proves nothing by itself: no group commits the markers of a source that writes in transactions, nor
// the records that they abort, where it reads committed. So what is between a committed offset and the end is looked at. The
// error is what kept it from finding out; like a no, it may pass.
func Drained(ctx context.Context, brokers ask.Brokers, plan harness.TopicPlan) (drained bool, why string, err error) {
	brokers = brokers.Within(requestTimeout)
	committed, err := CommittedOffsets(ctx, brokers, plan)
	if err != nil {
		return false, "", err
	}
	leaders, ends, err := inputEnds(ctx, brokers, plan)
	if err != nil {
		return false, "", err
	}
	left := map[string]int64{}
	for _, c := range committed {
		tp := ask.TopicPartition{Topic: c.Topic, Partition: c.Partition}
		from := max(c.Offset, 0)
		if from >= ends[tp] {
			continue
		}
		records, err := hasRecords(ctx, brokers, leaders[tp], question{tp: tp, offset: from}, ends[tp])
		if err != nil {
			return false, "", err
		}
		if records {
			left[c.Group] += ends[tp] - from
		}
	}
	return len(left) == 0, backlog(left), nil
}

// errFound ends a walk at the first record.
var errFound = errors.New("found")

// hasRecords reports whether there is a record that counts from q on and below to: no marker, and none of an aborted
// transaction.
func hasRecords(ctx context.Context, brokers ask.Brokers, leader ask.Leader, q question, to int64) (bool, error) {
	open := map[int64]bool{}
	w := walker{next: q.offset, end: to, take: func(b *observation.Batch) error {
		switch {
		case !b.Control && !b.Transactional, b.Marker == observation.MarkerCommit && open[b.ProducerID]:
			return errFound
		case b.Control:
			delete(open, b.ProducerID)
		default: // it counts or not by its marker
			open[b.ProducerID] = true
		}
		return nil
	}}
	for before := w.next - 1; !w.done() && w.next > before; {
		before = w.next
		q.offset = w.next
		got, err := fetch(ctx, brokers, leader, q)
		if err == nil {
			err = w.walk(got.batches)
		}
		if errors.Is(err, errFound) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return !w.done() || len(open) > 0, nil // what is open may still be committed
}

// backlog lists how many records each group has still to work off.
func backlog(left map[string]int64) string {
	var parts []string
	for _, group := range slices.Sorted(maps.Keys(left)) {
		parts = append(parts, fmt.Sprintf("%s: %d records left", group, left[group]))
	}
	return strings.Join(parts, ", ")
}
