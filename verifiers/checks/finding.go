package checks

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
	noDuplicates = []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}
	noLoss       = []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}
	onlyExactly  = []harness.Guarantee{harness.ExactlyOnce}
	onlyOrder    = []harness.Guarantee{harness.InOrder}
	everything   = harness.Guarantees()
)

func breaks(g []harness.Guarantee, format string, args ...any) []Finding {
	return []Finding{{Breaks: g, Text: fmt.Sprintf(format, args...)}}
}

// with adds anomalies to the last finding.
func with(found []Finding, anomalies []harness.Anomaly) []Finding {
	if n := len(found); n > 0 {
		found[n-1].Anomalies = append(found[n-1].Anomalies, anomalies...)
	}
	return found
}

func doubt(format string, args ...any) []Finding {
	return []Finding{{Doubt: true, Text: fmt.Sprintf(format, args...)}}
}

// notRun says why a check could not run to its end.
func notRun(check, format string, args ...any) Finding {
	return Finding{Doubt: true, NotRun: true, Text: fmt.Sprintf("the check %s did not run: ", check) + fmt.Sprintf(format, args...)}
}

func internal(format string, args ...any) []Finding {
	return []Finding{{Internal: true, Text: "internal error: " + fmt.Sprintf(format, args...)}}
}

func note(format string, args ...any) []Finding {
	return []Finding{{Text: fmt.Sprintf(format, args...)}}
}

// sum adds up counts by cause.
func sum(by map[string]uint64) (n uint64) {
	for _, c := range by {
		n += c
	}
	return n
}

// byBrokers breaks in-order by what brokers promise every idempotent producer.
func byBrokers(format string, args ...any) []Finding {
	found := breaks(onlyOrder, format, args...)
	found[0].Brokers = true
	return found
}
