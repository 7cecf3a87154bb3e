package results

import "github.com/chaeos/chaeos/harness"

// Anomalies lists the kinds of anomalies that a row counts, as the flags of chaeos explain name them.
func Anomalies(n harness.Numbers) []string {
	var out []string
	for _, kind := range []struct {
		flag string
		n    uint64
	}{
		{"dup", n.Count("duplicates")}, {"lost", n.Count("lost")}, {"torn", n.Count("torn")},
		{"aborted-seen", n.Count("abortedSeen")}, {"phantom", n.Count("phantom")}, {"unprocessed", n.Count("unprocessed")},
		{"hidden", n.Count("hidden")},
	} {
		if kind.n > 0 {
			out = append(out, kind.flag)
		}
	}
	return out
}
