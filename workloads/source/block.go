package source

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// mostInTransaction bounds the records of one transaction.
const mostInTransaction = 2000

// block is a span of records that go into one transaction.
type block struct {
	first   uint64
	records []*kgo.Record
	// offsets are where the records were stored in the transaction that is open now.
	offsets []int64
}

// intend takes the schedule's next block in hand.
func (t *transacting) intend(ctx context.Context) error {
	n := t.size()
	if n == 0 || t.untilDue(t.Stopping, &t.pace) != nil {
		return nil
	}
	if err := t.Record(&history.Intent{Stamp: history.AtNow(), First: t.next, Count: n}); err != nil {
		return err
	}
	b := &block{first: t.next}
	for range n {
		if err := t.untilDue(ctx, &t.pace); err != nil {
			t.unsent(n - uint64(len(b.records)))
			break
		}
		scheduled := history.Now()
		if !t.pace.unlimited() {
			scheduled = t.pace.next()
		}
		r := &kgo.Record{}
		t.fill(r, nil, scheduled)
		b.records = append(b.records, r)
	}
	t.open = b
	return nil
}

// size is the number of records in the next block: all that is due, within bounds.
func (t *transacting) size() uint64 {
	n := t.pace.block()
	if !t.pace.unlimited() {
		n = max(n, t.pace.due(history.Now(), mostInTransaction))
	}
	if t.Spec.Count > 0 {
		n = min(n, t.left())
	}
	return n
}

// resume continues from the place that was read back. A block in hand whose records are all below it was committed.
func (t *transacting) resume(next uint64) {
	if t.open == nil {
		t.next = next
		return
	}
	for len(t.open.records) > 0 && t.open.first < next {
		r := t.open.records[0]
		t.ackOne(r.Partition, t.open.first, -1)
		t.open.first, t.open.records = t.open.first+1, t.open.records[1:]
	}
	if len(t.open.records) == 0 {
		t.open = nil
	}
}

func (t *transacting) ackOne(partition int32, sequence uint64, offset int64) {
	t.outcomes.ack(partition, sequence, offset)
	t.acked.Add(1)
}
