package catalogue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
)

func TestEveryExperimentIsValid(t *testing.T) {
	all, err := All()
	require.NoError(t, err)
	var names []string
	for _, exp := range all {
		names = append(names, exp.Name)
		assert.NotEmpty(t, exp.Summary, exp.Name)
		assert.NotEmpty(t, exp.About, exp.Name)
		assert.NotEmpty(t, exp.Source, exp.Name)
	}
	assert.Equal(t, Names(), names, "an experiment is named after its file")
	assert.True(t, slices.IsSorted(names))
	for _, want := range []string{
		"baseline", "latency", "leader-partition", "broker-kill", "broker-pause", "worker-kill", "coordinator-kill", "lingering-txn",
		"ambiguous-produce", "coordinator-failover", "endtxn-blackhole", "last-replica", "last-replica-min2", "late-request",
		"late-request-tv1", "leader-handover", "leader-storm", "lost-ack", "offset-amnesia", "power-loss",
	} {
		assert.Contains(t, names, want)
	}
}

func TestShow(t *testing.T) {
	for _, name := range Names() {
		golden.Equal(t, "testdata/"+name+".show", show(t, name, 7))
	}
}

func show(t *testing.T, name string, seed uint64) string {
	t.Helper()
	exp, err := Find(name)
	require.NoError(t, err)
	exp, err = Concrete(exp, seed)
	require.NoError(t, err)
	return Show(exp, seed)
}

func TestSchedulesBySeed(t *testing.T) {
	var b strings.Builder
	for _, name := range Names() {
		for seed := range uint64(11) {
			exp, err := Find(name)
			require.NoError(t, err)
			exp, err = Concrete(exp, seed)
			require.NoError(t, err)
			for _, f := range exp.Faults {
				fmt.Fprintf(&b, "%s seed %d: %s\n", name, seed, faultText(f))
			}
		}
	}
	golden.Equal(t, "testdata/schedules.txt", b.String())
	assert.Equal(t, show(t, "worker-kill", 3), show(t, "worker-kill", 3), "the same seed gives the same bytes")
	assert.NotEqual(t, show(t, "worker-kill", 3), show(t, "worker-kill", 4))
}

func TestUnknownExperiment(t *testing.T) {
	for name, want := range map[string]string{
		"leader-partion": `unknown experiment "leader-partion" (did you mean leader-partition?)`,
		"broker":         `unknown experiment "broker" (did you mean broker-kill or broker-pause?)`,
		"workerkill":     `unknown experiment "workerkill" (did you mean worker-kill?)`,
		"quantum":        `unknown experiment "quantum" (there are: ambiguous-produce, autocommit-async, baseline`,
	} {
		_, err := Find(name)
		require.ErrorContains(t, err, want)
		var usage harness.UsageError
		require.ErrorAs(t, err, &usage)
	}
}

func TestBrokenFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/broken/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var b strings.Builder
	for _, file := range files {
		_, err := LoadFile(file)
		var bad *Error
		require.ErrorAs(t, err, &bad, file)
		var usage harness.UsageError
		require.ErrorAs(t, err, &usage, file)
		fmt.Fprintln(&b, err)
	}
	golden.Equal(t, "testdata/broken.txt", b.String())
}

func TestFilesFromUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
name: mine
summary: all of it
pipelines: [idempotent]
load: {rate: 12.5, duration: 1m, record-size: 1024, burst: 10, burst-every: 1s}
workers: 3
shared: {work: 0s, session-timeout: 8s, transaction-timeout: 20s, max-poll-records: 10, linger: 1ms}
cluster: {brokers: 5, controllers: 3, racks: [a, b], kafka: 4.2.0, min-isr: 1, partitions: 4,
  features: {transaction.version: 1}, properties: {replica.lag.time.max.ms: 10000}}
bounds: {min-before: 1, min-after: 2, min-offered: 3, stall-threshold: 2s}
allow-quorum-loss: true
faults:
  - {at: 1s, for: 5s, fault: broker-pause, target: all brokers}
  - {at: 2s, for: 5s, fault: latency, latency: 10ms..20ms, links: {any-of: [client, [client, replication]]}, target: broker 1}
`), 0o600))
	exp, err := Open(path)
	require.NoError(t, err)
	exp, err = Concrete(exp, 2)
	require.NoError(t, err)
	golden.Equal(t, "testdata/mine.show", Show(exp, 2))
	assert.Equal(t, harness.Bounds{MinBefore: 1, MinAfter: 2, MinOffered: 3, StallThreshold: 2e9}, exp.Bounds)
	assert.Equal(t, 3, exp.Workers)

	_, err = Open("nowhere.yaml")
	require.ErrorContains(t, err, "there is no file nowhere.yaml")
}

func TestFlagsThatBreakASchedule(t *testing.T) {
	exp, err := Find("broker-kill")
	require.NoError(t, err)
	exp.Load.Duration = 15e9
	_, err = Concrete(exp, 1)
	var usage harness.UsageError
	require.ErrorAs(t, err, &usage)
	require.ErrorContains(t, err, "after the load (15s)")

	exp, err = Find("worker-kill")
	require.NoError(t, err)
	exp.Pipelines = []string{"idempotent"}
	_, err = Concrete(exp, 1)
	require.NoError(t, err, "fewer pipelines are no contradiction")
}

func TestQuorumFollowsTheTopology(t *testing.T) {
	for _, c := range []struct {
		cluster, first, second string
		lost                   string // "" if the quorum stays
	}{
		{"{}", "broker 1", "broker 2", "2 of 3 nodes"},
		{"{brokers: 5}", "broker 1", "broker 2", ""},
		{"{brokers: 4}", "broker 1", "broker 2", "2 of 4 nodes"},
		{"{brokers: 5}", "broker 1", "all brokers", "5 of 5 nodes"},
		{"{controllers: 3}", "broker 1", "all brokers", ""},
		{"{controllers: 3}", "broker 1", "controller", ""},
		{"{controllers: 3}", "controller", "controller", "2 of 3 nodes"},
		{"{controllers: 1}", "broker 1", "controller", "1 of 1 nodes"},
	} {
		text := fmt.Sprintf("name: x\nsummary: x\npipelines: [idempotent]\nload: {duration: 30s}\ncluster: %s\nfaults:\n"+
			"  - {at: 1s, for: 5s, fault: broker-kill, target: %s}\n  - {at: 2s, for: 5s, fault: broker-pause, target: %s}\n",
			c.cluster, c.first, c.second)
		_, err := parse("x.yaml", []byte(text), pipelines())
		if c.lost == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, c.lost, text)
	}
}

func TestFlagsThatLoseTheQuorum(t *testing.T) {
	text := "name: x\nsummary: x\npipelines: [idempotent]\nload: {duration: 30s}\ncluster: {brokers: 5}\nfaults:\n" +
		"  - {at: 1s, for: 5s, fault: broker-kill, target: broker 1}\n  - {at: 2s, for: 5s, fault: broker-kill, target: broker 2}\n"
	exp, err := parse("x.yaml", []byte(text), pipelines())
	require.NoError(t, err)
	exp.Cluster.Topology.Brokers = 3
	_, err = Concrete(exp, 1)
	var usage harness.UsageError
	require.ErrorAs(t, err, &usage)
	require.ErrorContains(t, err, "2 of 3 nodes may be out")
}

func TestEveryErrorIsSaidOnce(t *testing.T) {
	_, err := parse("x.yaml", []byte("name: [\n"), pipelines())
	var bad *Error
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "x.yaml", bad.File)
	assert.NotContains(t, bad.Problem, "\n")
	assert.False(t, errors.Is(err, os.ErrNotExist))
}
