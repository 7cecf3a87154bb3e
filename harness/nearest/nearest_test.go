package nearest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	names := []string{"baseline", "broker-kill", "broker-pause", "worker-kill"}
	for name, want := range map[string][]string{
		"baselin":    {"baseline"},
		"BROKER":     {"broker-kill", "broker-pause"},
		"borker-kil": {"worker-kill", "broker-kill"}, // two letters away, and three
		"":           nil,
		"zzz":        nil,
	} {
		require.Equal(t, want, Names(name, names), name)
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"", "abc"}: 3, {"abc", ""}: 3, {"kitten", "sitting"}: 3, {"abc", "abc"}: 0, {"ab", "ba"}: 2,
	} {
		require.Equal(t, want, distance(pair[0], pair[1]), pair)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"baseline", "broker-kill", "broker-pause", "leader-partition"}
	require.Equal(t, []string{"leader-partition"}, Names("Leader-Partitoin", names))
	require.Equal(t, []string{"broker-kill", "broker-pause"}, Names("broker-", names))
	require.Empty(t, Names("xyzzy", names))
	require.Empty(t, Names("x", nil))
	require.Equal(t, 3, distance("kitten", "sitting"))
}
