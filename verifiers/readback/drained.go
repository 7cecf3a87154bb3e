package readback

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Drained says whether every group's positions have passed every record of the input log; why counts what is left. It is a
// wait, not a verdict. A log's end proves nothing by itself: the markers of a source that writes in transactions are
// passed by no position, nor are the records that they abort, where a group reads committed. So what lies between a
// position and the end is looked at. The error is what kept it from finding out; like a no, it may pass.
func Drained(ctx context.Context, client *kgo.Client, plan harness.TopicPlan) (drained bool, why string, err error) {
	positions, err := Positions(ctx, client, plan)
	if err != nil {
		return false, "", err
	}
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, plan.Input)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return false, "", fmt.Errorf("ends of %s: %w", plan.Input, err)
	}
	tails := &tails{client: client, topic: plan.Input}
	left := map[string]int64{}
	for _, p := range positions {
		end, ok := ends.Lookup(p.Topic, p.Partition)
		from := max(p.Offset, 0)
		if !ok || from >= end.Offset {
			continue
		}
		records, err := tails.hasRecords(ctx, p.Partition, from, end.Offset)
		if err != nil {
			return false, "", err
		}
		if records {
			left[p.Group] += end.Offset - from
		}
	}
	return len(left) == 0, backlog(left), nil
}

// tails looks at the ends of one topic's logs.
type tails struct {
	client  *kgo.Client
	topic   string
	leaders map[brokers.TP]brokers.Leader
}

// errFound ends a walk at the first record.
var errFound = errors.New("found")

// hasRecords says whether there is a record that counts in [from, to): no marker, and none of an aborted transaction.
func (t *tails) hasRecords(ctx context.Context, partition int32, from, to int64) (bool, error) {
	if t.leaders == nil {
		found, err := brokers.Leaders(ctx, t.client, nil, []string{t.topic})
		if err != nil {
			return false, err
		}
		t.leaders = found
	}
	at := brokers.TP{Topic: t.topic, Partition: partition}
	open := map[int64]bool{}
	w := walker{next: from, end: to, take: func(b *observation.Batch) error {
		switch {
		case !b.Control && !b.Transactional, b.Marker == observation.MarkerCommit && open[b.ProducerID]:
			return errFound
		case b.Control:
			delete(open, b.ProducerID)
		default: // its marker says whether it counts
			open[b.ProducerID] = true
		}
		return nil
	}}
	for before := from - 1; !w.done() && w.next > before; {
		before = w.next
		got, err := fetch(ctx, t.client, t.leaders[at], fetchAsk{tp: at, offset: w.next})
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

// backlog says how many records each group has still to work off.
func backlog(left map[string]int64) string {
	var parts []string
	for _, group := range slices.Sorted(maps.Keys(left)) {
		parts = append(parts, fmt.Sprintf("%s: %d records left", group, left[group]))
	}
	return strings.Join(parts, ", ")
}
