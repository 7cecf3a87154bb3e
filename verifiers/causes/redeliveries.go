package causes

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

// What became of a delivery before the brokers of a share group delivered the record again.
const (
	releasedByDeath   = "died"
	releasedInOrder   = "left"
	releasedByRefusal = "refused"
	releasedByTime    = "expired"
	releasedAtAll     = "acknowledged"
	releasedUnseen    = "lost"
)

// redelivery are deliveries with the same story: who had the records, who got them, and why.
type redelivery struct {
	by, before txns.Incarnation
	partition  int32
	release    string
}

// redelivered charges one duplicate to the delivery that made it, and returns what is known of that (nil: no history shows it).
func (r *rereads) redelivered(row *rows.Row, k keyset.Key, c Copy, all handOuts) *harness.Reread {
	handed, partition, offset := all.of[k], row.InputOf(k.Partition), int64(k.Index)
	i := slices.IndexFunc(handed, func(h *handOut) bool { return h.Incarnation == c.Incarnation && h.processing == c.processing })
	if i < 0 || len(handed) < 2 {
		return nil
	}
	i = max(1, i) // a late write of the first delivery: the log's order is not the order of the deliveries
	before, now := handed[i-1], handed[i]
	at := redelivery{by: now.Incarnation, before: before.Incarnation, partition: partition, release: released(row, before, now, all)}
	x, ok := r.shared[at]
	if !ok {
		x = rereadOf(row, at, before, now)
		x.From = offset
		if r.shared == nil {
			r.shared = map[redelivery]*harness.Reread{}
		}
		r.shared[at] = x
	}
	x.Copies++
	x.From, x.Began, x.HandedOut = min(x.From, offset), min(x.Began, now.at), min(x.HandedOut, before.at)
	x.Deliveries = max(x.Deliveries, now.times)
	if x.Reason == "" && at.release == releasedByRefusal {
		x.Reason = before.ack.reason
	}
	return x
}

func rereadOf(row *rows.Row, at redelivery, before, now *handOut) *harness.Reread {
	x := &harness.Reread{
		Why: RereadRedelivery, Release: at.release, HandedOut: before.at, By: row.IncarnationRef(at.by), Before: row.IncarnationRef(at.before),
		Partition: at.partition, Generation: -1, Began: now.at,
	}
	if w := row.Worker(at.before); w != nil {
		x.Killed = w.Killed
	}
	return x
}

// released says what became of a delivery before the next one. An answer comes before none, and a member's
// end before its lock's end: a session that ends releases what it holds at once.
func released(row *rows.Row, before, now *handOut, all handOuts) string {
	w := row.Worker(before.Incarnation)
	gone := before.Incarnation != now.Incarnation && w != nil && all.until[before.Incarnation] < now.at
	answered := before.ack.answered && before.ack.at < now.at
	switch {
	case answered && before.ack.outcome == history.OutcomeConfirmed:
		return releasedAtAll
	case gone && w.Ended && w.Whole:
		return releasedInOrder
	case gone:
		return releasedByDeath
	case now.at.Sub(before.at) >= lock(row.Run):
		return releasedByTime
	case answered:
		return releasedByRefusal
	}
	return releasedUnseen
}

// describeRedelivery says in a sentence which worker got records again, and why.
func describeRedelivery(row *rows.Row, x *harness.Reread) string {
	text := fmt.Sprintf("%s duplicates after a redelivery: %s was handed records of input partition %d from offset %d on at %s",
		words.Number(x.Copies), words.Incarnation(x.By), x.Partition, x.From, row.Since(x.Began))
	if x.Deliveries > 1 {
		text += fmt.Sprintf(" (delivery %d at most by the brokers' count)", x.Deliveries)
	}
	return text + ": " + whyReleased(row, x)
}

func whyReleased(row *rows.Row, x *harness.Reread) string {
	had := fmt.Sprintf("%s, which had them from %s on,", words.Incarnation(x.Before), row.Since(x.HandedOut))
	switch x.Release {
	case releasedAtAll:
		return had + " had acknowledged them, and the acknowledgement was confirmed"
	case releasedInOrder:
		return had + " left the group with them in hand"
	case releasedByDeath:
		text := had + " died with them in hand"
		if x.Killed {
			text = had + " was killed with them in hand"
		}
		return text
	case releasedByTime:
		return fmt.Sprintf("%s kept them longer than their lock of %s", had, lock(row.Run))
	case releasedByRefusal:
		return fmt.Sprintf("%s was refused its acknowledgement (%s)", had, x.Reason)
	}
	return had + " still had them, within its lock and without an answer to an acknowledgement: the brokers had forgotten it, as the next leader of a partition does"
}
