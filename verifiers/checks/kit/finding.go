package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// Finding is one thing that a check found. One that neither breaks a guarantee nor is a doubt or internal is a note.
type Finding struct {
	// Breaks are the guarantees that it proves violated.
	Breaks []harness.Guarantee
	// Brokers means that it breaks what brokers promise every idempotent producer, whether or not the row claims in-order.
	Brokers bool
	// Doubt keeps anything from being called held. Internal means that figures contradict each other, so that nothing may be
	// concluded at all.
	Doubt, Internal bool
	// NotRun means that the check could not run to its end. It is a doubt.
	NotRun bool
	Text   string
	// Anomalies are the first of what it counts, in full.
	Anomalies []harness.Anomaly
}

// The guarantees that a finding may break.
var (
	NoDuplicates = []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}
	NoLoss       = []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}
	OnlyExactly  = []harness.Guarantee{harness.ExactlyOnce}
	OnlyOrder    = []harness.Guarantee{harness.InOrder}
	Everything   = harness.Guarantees()
)

// Breaks is a finding that proves guarantees violated.
func Breaks(g []harness.Guarantee, format string, args ...any) []Finding {
	return []Finding{{Breaks: g, Text: fmt.Sprintf(format, args...)}}
}

// With adds anomalies to the last finding.
func With(found []Finding, anomalies []harness.Anomaly) []Finding {
	if n := len(found); n > 0 {
		found[n-1].Anomalies = append(found[n-1].Anomalies, anomalies...)
	}
	return found
}

// Doubt is a finding that keeps anything from being called held.
func Doubt(format string, args ...any) []Finding {
	return []Finding{{Doubt: true, Text: fmt.Sprintf(format, args...)}}
}

// NotRun says why a check could not run to its end.
func NotRun(check, format string, args ...any) Finding {
	return Finding{Doubt: true, NotRun: true, Text: fmt.Sprintf("the check %s did not run: ", check) + fmt.Sprintf(format, args...)}
}

// Internal is a finding that figures contradict each other.
func Internal(format string, args ...any) []Finding {
	return []Finding{{Internal: true, Text: "internal error: " + fmt.Sprintf(format, args...)}}
}

// Note is a line under the table.
func Note(format string, args ...any) []Finding {
	return []Finding{{Text: fmt.Sprintf(format, args...)}}
}

// Sum adds up counts by cause.
func Sum(by map[string]uint64) (n uint64) {
	for _, c := range by {
		n += c
	}
	return n
}

// ByBrokers breaks in-order by what brokers promise every idempotent producer.
func ByBrokers(format string, args ...any) []Finding {
	found := Breaks(OnlyOrder, format, args...)
	found[0].Brokers = true
	return found
}
