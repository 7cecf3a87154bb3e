package explain

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// watch follows one place of the input through one incarnation's history. It tells what happened from the poll that
// delivered the record until a confirmed commit passed it, or the incarnation lost it.
type watch struct {
	t      *telling
	layout harness.PipelineLayout
	file   harness.HistoryRecord
	place  *harness.LogCopy

	events []harness.LifeEvent
	// assigned is the partition's newest assignment that was not listed yet; resumed is where its first poll began.
	assigned *history.Assigned
	// touched: a poll delivered the record to this incarnation. Hand: it has it in hand now.
	touched, hand, fresh bool
	started, last        history.Time
	ended                bool
	// begun is the open transaction, listed once the record is in it.
	begun *history.TxnBegin
	// past means that the incarnation's last commit lay beyond the record; passing is its first confirmed one.
	past    bool
	passing *harness.LifeEvent
}

func (w *watch) event(at history.Time, kind, format string, args ...any) harness.LifeEvent {
	return harness.LifeEvent{
		At: at, Pipeline: w.layout.Name, Process: w.file.Process, Incarnation: uint32(w.file.Incarnation), Kind: kind, Text: fmt.Sprintf(format, args...),
	}
}

func (w *watch) say(at history.Time, kind, format string, args ...any) {
	w.events = append(w.events, w.event(at, kind, format, args...))
}

func (w *watch) take(e history.Entry) {
	switch e := e.(type) {
	case *history.Process:
		w.started = e.At
	case *history.Assigned:
		w.last = e.At
		if slices.Contains(e.Partitions, w.place.Partition) {
			w.assigned, w.fresh = e, true
		}
	case *history.Revoked:
		w.last = e.At
		w.revoked(e)
	case *history.Polled:
		w.last = e.At
		w.polled(e)
	case *history.Redelivered:
		w.last = e.At
		if e.Partition == w.place.Partition && e.From <= w.place.Offset && w.place.Offset < e.To {
			w.say(e.At, "polled", "which the brokers count as its delivery %d", e.Count)
		}
	case *history.Phase:
		w.last = e.At
		if w.hand {
			w.say(e.At, "waited", "waits in phase %s with %d records in hand", e.Name, e.Held)
		}
	case *history.Outputs:
		w.last = e.At
		w.outputs(e)
	case *history.End:
		w.last, w.ended = e.At, true
	default:
		w.ending(e)
	}
}

// ending takes what commits offsets and ends transactions.
func (w *watch) ending(e history.Entry) {
	switch e := e.(type) {
	case *history.TxnBegin:
		w.last, w.begun = e.At, e
	case *history.Committing:
		w.last = e.At
		if to, ok := w.offset(e.Offsets); ok && to > w.place.Offset && w.hand {
			w.say(e.At, "committing", "about to commit offset %d%s", to, inTxn(e.Txn))
		}
	case *history.Committed:
		w.last = e.At
		w.committed(e)
	case *history.Acknowledging:
		w.last = e.At
		if w.in(e.Ranges) && w.hand {
			w.say(e.At, "committing", "about to acknowledge this record")
		}
	case *history.Acknowledged:
		w.last = e.At
		w.acknowledged(e)
	case *history.TxnEnding:
		w.last = e.At
		if w.hand {
			w.say(e.At, "ending", "about to %s transaction %d", commitOrAbort(e.Commit), e.Txn)
		}
	case *history.TxnEnded:
		w.last = e.At
		w.txnEnded(e)
	}
}

func (w *watch) polled(e *history.Polled) {
	if e.Partition != w.place.Partition {
		return
	}
	fresh := w.fresh
	w.fresh = false
	if w.place.Offset < e.From || w.place.Offset >= e.To {
		return
	}
	if !w.touched {
		w.say(w.started, "started", "incarnation %d starts", w.file.Incarnation)
	}
	w.touched, w.hand = true, true
	if w.assigned != nil {
		w.say(w.assigned.At, "assigned", "gets input partition %d (generation %d)", w.place.Partition, w.assigned.Generation)
		w.assigned = nil
	}
	text := fmt.Sprintf("polled %d records of partition %d, offsets %d to %d", e.Count, e.Partition, e.From, e.To-1)
	if e.Count == uint64(e.To-e.From) {
		text += fmt.Sprintf("; this one is processing %d", e.Processing+uint64(w.place.Offset-e.From))
	} else {
		text += fmt.Sprintf("; this one is one of processings %d to %d", e.Processing, e.Processing+e.Count-1)
	}
	if fresh {
		text += "; the first poll since the partition was assigned"
	}
	w.say(e.At, "polled", "%s", text)
}

// outputs are recorded by partition, not by record: the text says how many it speaks of.
func (w *watch) outputs(e *history.Outputs) {
	if !w.hand {
		return
	}
	w.tellBegin()
	for _, c := range e.Counts {
		topic, p := w.layout.Place(c.Partition, w.t.record.Plan.Partitions)
		if p == w.place.Partition && c.Count > 0 {
			text := fmt.Sprintf("%d outputs in partition %d since the entry before: %s", c.Count, p, e.Outcome)
			if len(w.layout.Further) > 0 {
				text = fmt.Sprintf("%d outputs in %s/%d since the entry before: %s", c.Count, w.t.short(topic), p, e.Outcome)
			}
			if e.Reason != "" {
				text += " (" + e.Reason + ")"
			}
			w.say(e.At, "outputs", "%s%s", text, inTxn(e.Txn))
			w.t.missing("which record an acknowledgement of an output was for: workers record outcomes by partition and count")
		}
	}
}

func (w *watch) tellBegin() {
	if w.begun != nil {
		w.say(w.begun.At, "begun", "transaction %d begins", w.begun.Txn)
		w.begun = nil
	}
}

func (w *watch) committed(e *history.Committed) {
	to, ok := w.offset(e.Offsets)
	if !ok {
		return
	}
	confirmed := e.Outcome == history.OutcomeConfirmed
	if confirmed {
		passed := w.t.passed[w.layout.Name]
		passed[w.place.Partition] = max(passed[w.place.Partition], to)
	}
	switch beyond := to > w.place.Offset; {
	case beyond && !w.past:
		x := w.event(e.At, "committed", "committing offset %d, past this record: %s%s%s", to, e.Outcome, reason(e.Reason), inTxn(e.Txn))
		w.events = append(w.events, x)
		if confirmed && w.passing == nil {
			w.passing = &x
		}
		w.past = confirmed
		w.hand = w.hand && (!confirmed || e.Txn != 0)
	case !beyond && w.past && confirmed:
		w.say(e.At, "went back", "committing offset %d, back before this record: confirmed", to)
		w.past = false
	}
}

func (w *watch) in(ranges []history.OffsetRange) bool {
	return slices.ContainsFunc(ranges, func(r history.OffsetRange) bool {
		return r.Partition == w.place.Partition && w.place.Offset >= r.From && w.place.Offset < r.To
	})
}

// acknowledged takes what a share group's brokers said to an acknowledgement: a record is passed by its own only.
func (w *watch) acknowledged(e *history.Acknowledged) {
	if !w.in(e.Ranges) {
		return
	}
	w.say(e.At, "committed", "acknowledging this record: %s%s", e.Outcome, reason(e.Reason))
	if e.Outcome == history.OutcomeConfirmed {
		passed := w.t.passed[w.layout.Name]
		passed[w.place.Partition] = max(passed[w.place.Partition], w.place.Offset+1)
		w.past, w.hand = true, false
	}
}

func (w *watch) txnEnded(e *history.TxnEnded) {
	w.begun = nil
	if !w.hand {
		return
	}
	w.say(e.At, "ended", "transaction %d, asked to %s: %s%s", e.Txn, commitOrAbort(e.Commit), e.Outcome, reason(e.Reason))
	w.hand = false
}

func (w *watch) revoked(e *history.Revoked) {
	if !slices.Contains(e.Partitions, w.place.Partition) {
		return
	}
	if w.hand {
		how := "given back"
		if e.Lost {
			how = "lost (fenced, or the session expired)"
		}
		w.say(e.At, "revoked", "input partition %d is %s with the record in hand", w.place.Partition, how)
	}
	w.assigned = nil
}

// close tells how an incarnation ended that still had the record in hand.
func (w *watch) close() {
	if !w.hand {
		w.idle()
		return
	}
	switch {
	case w.ended:
		w.say(w.last, "closed", "ends in order with the record in hand: no commit of it passed the record")
	case w.file.Killed:
		w.say(w.last, "cut off", "its history ends here: the run killed it with the record in hand (when exactly is the fault's time)")
	default:
		w.say(w.last, "cut off", "its history ends here without having been closed")
	}
}

// idle tells how an incarnation ended that committed past the record without an output of it: what it still had queued
// went with it.
func (w *watch) idle() {
	if w.passing == nil || w.wrote() {
		return
	}
	how := "ends in order"
	switch {
	case w.ended:
	case w.file.Killed:
		how = "its history ends here: the run killed it"
	default:
		how = "its history ends here without having been closed"
	}
	w.say(w.last, "cut off", "%s; no output log holds an output of this record by it", how)
}

// wrote means that a copy by this incarnation is in the output log, whatever became of it.
func (w *watch) wrote() bool {
	return slices.ContainsFunc(w.t.copies[w.layout.Name], func(c *harness.LogCopy) bool {
		return c.Origin != nil && int(c.Origin.Worker) == w.file.Number && int(c.Origin.Incarnation) == w.file.Incarnation
	})
}

func (w *watch) offset(list []history.PartitionOffset) (int64, bool) {
	for _, o := range list {
		if o.Partition == w.place.Partition {
			return o.Offset, true
		}
	}
	return 0, false
}

func inTxn(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", in transaction %d", n)
}

func reason(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func commitOrAbort(commit bool) string {
	if commit {
		return "commit"
	}
	return "abort"
}
