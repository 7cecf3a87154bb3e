package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

const (
	evil   = "\x1b[31mred\x1b]0;title\a"
	asText = `\x1b[31mred\x1b]0;title\x07`
)

// TestNothingUnsafeReachesATerminal: what YAML or a broker's log says is text to a terminal, never an order.
func TestNothingUnsafeReachesATerminal(t *testing.T) {
	b := newBench(t)
	b.parts.judge = func(string) (*harness.Report, error) { return nil, errors.New("the broker's log:\n" + evil) }
	require.Equal(t, exitInfrastructure, b.do("verify", runFolder(t, t.TempDir(), "run")))
	require.Contains(t, b.err.String(), "log:\n"+asText)

	b = newBench(t)
	b.parts.open = func(string) (harness.Experiment, error) {
		e := fakeExperiments()[0]
		e.Name, e.Source = evil, "about: "+evil+"\n"
		return e, nil
	}
	require.Zero(t, b.do("show", "own.yaml"))
	require.Zero(t, b.do("show", "own.yaml", "--yaml"))
	require.Equal(t, asText+", seed 1\nabout: "+asText+"\n", b.out.String())
}
