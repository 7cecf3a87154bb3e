package results

import "github.com/chaeos/chaeos/harness"

// Anomalies lists the kinds of anomalies that a row counts, as the flags of chaeos explain name them.
func Anomalies(n harness.Numbers) []string {
	var out []string
	for _, kind := range []struct {
		flag string
		n    uint64
	}{
		{"dup", n.Duplicates}, {"lost", n.Lost}, {"torn", optionalCount(n.Torn)},
		{"aborted-seen", optionalCount(n.AbortedSeen)}, {"phantom", n.Phantom}, {"unprocessed", n.Unprocessed},
		{"hidden", n.Hidden},
	} {
		if kind.n > 0 {
			out = append(out, kind.flag)
		}
	}
	return out
}

func optionalCount(n *uint64) uint64 {
	if n == nil {
		return 0
	}
	return *n
}
