package workloads

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// TestOrphanEndsAtOnce closes a worker's standard input: the harness is gone.
func TestOrphanEndsAtOnce(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.SeedTopics(partitions, "in"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	dials, _ := fakeCluster{kfake: cluster}.ClientLinks(t.Context(), "")
	in, stdin := io.Pipe()
	events, out := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, events) }()
	done := make(chan error, 1)
	go func() { done <- RunProcess(t.Context(), in, out) }()
	s := protocol.Spec{
		Name: "source-input", Role: protocol.RoleSource, Incarnation: 1, Bootstrap: cluster.ListenAddrs(), Dials: dials, Output: "in",
		History: filepath.Join(t.TempDir(), "s.hist"), Partitions: partitions, Shared: testShared(), Load: testLoad(),
	}
	enc := json.NewEncoder(stdin)
	require.NoError(t, enc.Encode(s))
	require.NoError(t, enc.Encode(protocol.Command{ID: 1, Do: protocol.Feed}))
	require.NoError(t, enc.Encode(protocol.Command{ID: 2, Do: protocol.Feed}), "feeding twice changes nothing")
	require.NoError(t, stdin.Close())
	select {
	case err := <-done:
		require.ErrorIs(t, err, member.ErrOrphaned)
	case <-soon(t).Done():
		require.Fail(t, "the orphan still runs")
	}
}

func TestProcessRefusesNonsense(t *testing.T) {
	require.ErrorContains(t, RunProcess(t.Context(), strings.NewReader("hello\n"), io.Discard), "process specification")
	for want, spec := range map[string]protocol.Spec{
		"unknown pipeline":                {Name: "x", Pipeline: "exactly-twice"},
		`pipeline "acks1" has no workers`: {Name: "x", Pipeline: "acks1", Role: protocol.RoleWorker},
	} {
		spec.History = filepath.Join(t.TempDir(), "x.hist")
		line, err := json.Marshal(spec)
		require.NoError(t, err)
		require.ErrorContains(t, RunProcess(t.Context(), bytes.NewReader(line), io.Discard), want)
	}
}
