package results

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// stalls lists the longest stalls, longest first, each with the transaction that held the log back.
func stalls(r *harness.Report, most int) []note {
	longest := slices.SortedStableFunc(slices.Values(r.Stalls), func(a, b harness.Stall) int { return cmp.Compare(b.Length, a.Length) })
	var out []note
	for i, s := range longest {
		if i == most {
			left := longest[most:]
			text := fmt.Sprintf("and %s more, none longer than %s", thousands(uint64(len(left))), duration(left[0].Length))
			return append(out, note{"stall", "", text})
		}
		out = append(out, note{"stall", s.Pipeline, stall(s, r.LoadStart)})
	}
	return out
}

func stall(s harness.Stall, start int64) string {
	text := fmt.Sprintf("%s from %s  %s/%d stood still at offset %d, %s held back, by %s",
		duration(s.Length), seconds(time.Duration(s.Start-start)), s.Topic, s.Partition, s.LSO,
		plural(uint64(max(s.HeldBack, 0)), "offset"), holder(s))
	if s.Fault != "" {
		text += ", during " + s.Fault
	}
	if s.Open {
		text += "; still standing at the last sample"
	}
	return text
}

// holder names the transaction at the LSO as well as the brokers told.
func holder(s harness.Stall) string {
	switch {
	case s.TransactionalID == "" && s.ProducerID == 0:
		return "an unknown transaction"
	case s.TransactionalID == "":
		return fmt.Sprintf("producer id %d", s.ProducerID)
	}
	text := fmt.Sprintf("%s (producer id %d", s.TransactionalID, s.ProducerID)
	if s.State != "" {
		text += ", " + s.State
	}
	return text + ")"
}
