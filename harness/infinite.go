package harness

// IsInfinite tells an infinite latency from one that was not observed: where the live reader did not get more inputs than a
// percentile leaves out, it falls among those, and has no value.
func IsInfinite(key string, n Numbers) bool {
	switch key {
	case "p50":
		return n.Value(key) == nil && n.Count("neverLive") > n.Count("input")/2
	case "p99":
		return n.Value(key) == nil && n.Count("neverLive") > n.Count("input")/100
	default:
		return false
	}
}
