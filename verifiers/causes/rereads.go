package causes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/words"
)

// Why a worker read again what had been read before.
const (
	RereadRestart   = "restart"
	RereadRebalance = "rebalance"
	RereadRewind    = "rewind"
	// rereadRedelivery: the brokers of a share group handed the record out again.
	RereadRedelivery = "redelivery"
)

// rereads counts the duplicates that came of each stint that began below what had been processed, by why they did: a worker
// that goes back over what it read under two assignments has reread the one and was assigned the other again. Those that came of a
// share group's redeliveries are kept apart.
type rereads struct {
	by     map[rereading]*harness.Reread
	shared map[redelivery]*harness.Reread
}

type rereading struct {
	stint *saved.Stint
	why   string
}

// note charges one duplicate to the later of two deliveries and returns why it was made ("" if no history shows it).
func (r *rereads) note(row *rows.Row, partition int32, earlier, later Copy) (why string, by *harness.Reread) {
	a, b := stintOf(row, partition, earlier), stintOf(row, partition, later)
	if a != nil && b != nil && a.Began > b.Began {
		a, b = b, a // a zombie's late write: the log's order is not the order of the deliveries
		earlier = later
	}
	if b == nil {
		return "", nil
	}
	at := rereading{b, whyReread(a, b, earlier)}
	x, ok := r.by[at]
	if !ok {
		x = &harness.Reread{
			Why: at.why, By: saved.IncarnationRef(b.Worker), Before: row.IncarnationRef(earlier.Incarnation), Partition: partition,
			Generation: b.Generation, Assigned: b.Assigned, Began: b.Began, From: b.From,
		}
		if before := row.Worker(earlier.Incarnation); before != nil {
			x.Killed = before.Killed
		}
		if r.by == nil {
			r.by = map[rereading]*harness.Reread{}
		}
		r.by[at] = x
	}
	x.Copies++
	return x.Why, x
}

// whyReread compares the stint that read again with the one before it (nil if its history doesn't show it).
func whyReread(a, b *saved.Stint, earlier Copy) string {
	switch {
	case earlier.Worker != b.Worker.Worker:
		return RereadRebalance
	case earlier.Number != b.Worker.Number:
		return RereadRestart
	case a != nil && a.Assigned != b.Assigned:
		return RereadRebalance
	}
	return RereadRewind
}

func stintOf(row *rows.Row, partition int32, c Copy) *saved.Stint {
	w := row.Worker(c.Incarnation)
	if w == nil {
		return nil
	}
	return w.Stints.Of(partition, c.processing)
}

// finish finds the commit that each reread went back to, and lists them in time order.
func (r *rereads) finish(row *rows.Row) ([]harness.Reread, error) {
	var search commitSearch
	for _, x := range r.by {
		search.backTo(x, func(c harness.CommitRef) { x.Committed = &c })
	}
	if err := search.run(row); err != nil {
		return nil, err
	}
	var all []harness.Reread
	for _, x := range r.by {
		x.Text = describeReread(row, x)
		all = append(all, *x)
	}
	for _, x := range r.shared {
		x.Text = describeRedelivery(row, x)
		all = append(all, *x)
	}
	slices.SortFunc(all, func(a, b harness.Reread) int {
		return cmp.Or(cmp.Compare(a.Began, b.Began), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.By.Worker, b.By.Worker), cmp.Compare(a.Why, b.Why),
			cmp.Compare(a.Before.Worker, b.Before.Worker), cmp.Compare(a.Before.Incarnation, b.Before.Incarnation), cmp.Compare(a.Release, b.Release))
	})
	return all, nil
}

func describeReread(row *rows.Row, x *harness.Reread) string {
	text := fmt.Sprintf("%s duplicates after a %s: %s", words.Number(x.Copies), x.Why, words.Incarnation(x.By))
	if x.Generation >= 0 {
		text += fmt.Sprintf(", assigned input partition %d in generation %d at %s,", x.Partition, x.Generation, row.Since(x.Assigned))
	}
	text += fmt.Sprintf(" began again at offset %d", x.From)
	if x.Generation < 0 {
		text += fmt.Sprintf(" of input partition %d", x.Partition)
	}
	switch c := x.Committed; {
	case c == nil:
		text += ", and nothing was committed before that"
	case c.Offset == x.From:
		text += fmt.Sprintf(", the offset that %s had committed at %s", words.Incarnation(*c.By), row.Since(c.At))
	case c.Offset > x.From:
		text += fmt.Sprintf(", though %s had committed %d at %s: the committed offset went back", words.Incarnation(*c.By), c.Offset, row.Since(c.At))
	default:
		text += fmt.Sprintf("; the newest confirmed commit before it is %d by %s at %s, so a later one took effect unconfirmed", c.Offset, words.Incarnation(*c.By), row.Since(c.At))
	}
	text += "; " + words.Incarnation(x.Before) + " had processed them"
	if x.Killed {
		text += " and was killed"
	}
	return text
}
