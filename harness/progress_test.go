package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
)

func TestPace(t *testing.T) {
	var p pace
	at := func(d time.Duration) history.Time { return history.Time(time.Hour).Add(d) }
	require.Empty(t, p.measure(at(0), map[string]uint64{"a": 100}), "one count is no rate")
	require.Empty(t, p.measure(at(time.Second), map[string]uint64{"a": 900}), "too soon")
	require.InDelta(t, 250, p.measure(at(4*time.Second), map[string]uint64{"a": 1100})["a"], 1e-9)
	require.InDelta(t, 250, p.measure(at(5*time.Second), map[string]uint64{"a": 9000})["a"], 1e-9, "the rate stays until there is a new one")
	require.Zero(t, p.measure(at(7*time.Second), map[string]uint64{"a": 1000})["a"], "a count that went back is no rate")
}
