package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// linksOnly is a provider that can only change links.
type linksOnly struct{ Provider }

func (linksOnly) Name() string           { return "links-only" }
func (linksOnly) Capabilities() []string { return []string{"links"} }

func TestPreflightRefusesContradictions(t *testing.T) {
	good := func() RunSpec {
		e := testExperiment()
		e.Pipelines = []string{"idempotent"}
		e.Load = Load{Rate: 1, Duration: time.Minute}
		return RunSpec{Experiment: e}
	}
	rooms := Rooms{Provider: linksOnly{}, Infos: testInfos()}
	require.NoError(t, preflight(rooms, good()))
	for want, spoil := range map[string]func(*Experiment){
		"rate 0":               func(e *Experiment) { e.Load.Rate = 0 },
		"duration 0s":          func(e *Experiment) { e.Load.Duration = 0 },
		"no pipeline":          func(e *Experiment) { e.Pipelines = nil },
		`unknown pipeline "x"`: func(e *Experiment) { e.Pipelines = []string{"x"} },
		"pipeline transactional asks for a transaction timeout of 1m0s, and the brokers allow at most 20s (transaction.max.timeout.ms)": func(e *Experiment) {
			e.Pipelines, e.Shared.TransactionTimeout = []string{"idempotent", "transactional"}, time.Minute
			e.Cluster.Properties = map[string]string{"transaction.max.timeout.ms": "20000"}
		},
		"at most 15m0s": func(e *Experiment) {
			e.Pipelines, e.Shared.TransactionTimeout = []string{"transactional"}, 16*time.Minute
		},
		`transaction.max.timeout.ms is "soon"`:          func(e *Experiment) { e.Cluster.Properties = map[string]string{"transaction.max.timeout.ms": "soon"} },
		"beyond the load's":                             func(e *Experiment) { e.Faults = []ScheduledFault{at(time.Minute, 1, &scripted{name: "f"})} },
		`needs "script", which the provider links-only`: func(e *Experiment) { e.Faults = []ScheduledFault{at(0, 1, &scripted{name: "f"})} },
	} {
		spec := good()
		spoil(&spec.Experiment)
		err := preflight(rooms, spec)
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, &UsageError{})
	}
}

func TestRunFoldersNeverCollide(t *testing.T) {
	out := t.TempDir()
	first, err := makeRunDir(out, "r")
	require.NoError(t, err)
	second, err := makeRunDir(out, "r")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
}

func TestRecordComesBackWhole(t *testing.T) {
	dir := t.TempDir()
	r := &RunRecord{Version: RecordVersion, Name: "n", Seed: 7, Plan: planTopics("n", testExperiment(), testInfos(), []int{1, 2, 3}, 2)}
	require.NoError(t, r.Save(dir))
	back, err := LoadRecord(dir)
	require.NoError(t, err)
	require.Equal(t, r.Plan, back.Plan)
	r.Version = RecordVersion + 1
	require.NoError(t, r.Save(dir))
	_, err = LoadRecord(dir)
	require.ErrorContains(t, err, "version 2")
	_, err = LoadRecord(t.TempDir())
	require.ErrorContains(t, err, "not a run's folder")
}
