package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// stalls lists the longest stalls, longest first, each with the transaction that held the log back.
func stalls(r *harness.Report, most int) []note {
	longest := slices.SortedStableFunc(slices.Values(r.Stalls), func(a, b harness.Stall) int { return cmp.Compare(b.Length, a.Length) })
	var out []note
	for i, s := range longest {
		if i == most {
			left := longest[most:]
			text := fmt.Sprintf("and %s more, none longer than %s", prose.Thousands(len(left)), duration(left[0].Length))
			return append(out, note{"stall", "", text})
		}
		out = append(out, note{"stall", s.Pipeline, stall(s, r.LoadStart)})
	}
	return out
}

// StallText says in a sentence how long a partition stood still, and which transaction held it back. Times are from start.
func StallText(s harness.Stall, start int64) string { return stall(s, start) }

func stall(s harness.Stall, start int64) string {
	text := fmt.Sprintf("%s from %s  %s/%d stood still at offset %d, %s held back by %s",
		duration(s.Length), seconds(time.Duration(s.Start-start)), s.Topic, s.Partition, s.LSO,
		heldBack(s), transactionAtLSO(s))
	if faults := cmp.Or(strings.Join(s.Faults, " and "), s.Fault); faults != "" {
		text += ", during " + faults
	}
	switch {
	case s.Open:
		text += "; not over at the last sample"
	case s.EndedByIncarnation != nil:
		text += fmt.Sprintf("; ended by a %s of %s incarnation %d", s.EndedBy, s.EndedByIncarnation.Name, s.EndedByIncarnation.Incarnation)
	case s.EndedBy != "":
		text += "; ended by " + s.EndedBy
	}
	return text
}

// heldBack is what readers waited for: records, where the log was read, and otherwise offsets.
func heldBack(s harness.Stall) string {
	if s.Records == 0 {
		return prose.Plural(max(s.HeldBack, 0), "offset")
	}
	text := prose.Plural(s.Records, "record")
	if s.Bytes > 0 {
		text += fmt.Sprintf(" (%s)", prose.Plural(s.Bytes, "byte"))
	}
	return text
}

// transactionAtLSO names the transaction as well as the brokers did. Where its state was seen only after the onset, and does
// not prove what it was then, the text says so.
func transactionAtLSO(s harness.Stall) string {
	switch {
	case s.TransactionalID == "" && s.ProducerID == 0:
		return "an unknown transaction"
	case s.TransactionalID == "":
		return fmt.Sprintf("producer id %d", s.ProducerID)
	}
	text := fmt.Sprintf("%s (producer id %d", s.TransactionalID, s.ProducerID)
	switch {
	case s.OnsetState != "":
		text += ", " + s.OnsetState
	case s.State != "" && s.StateAt != 0:
		text += fmt.Sprintf(", %s %s after the onset", s.State, duration(time.Duration(s.StateAt-s.Start)))
	case s.State != "":
		text += ", " + s.State
	}
	if s.EndState != "" && s.EndState != s.State {
		text += ", then " + s.EndState
	}
	return text + ")"
}
