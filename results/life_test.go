package results_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results"
)

// life is a record of an idempotent pipeline that was delivered twice, and of one whose transaction was aborted.
func life() *harness.RecordLife {
	at := func(ms int64) history.Time { return history.Time(5_000_000_000 + ms*1_000_000) }
	first := &harness.LogCopy{
		Topic: "run-out-idempotent", Offset: 90, Standing: "visible", FirstOffset: 88, LastOffset: 97, ProducerID: 7, BaseSequence: 88,
		Sequence: 90, MarkerOffset: -1,
	}
	bare := &harness.LogCopy{Topic: "run-in", Offset: 70, Standing: "visible", FirstOffset: 70, LastOffset: 70, ProducerID: -1, BaseSequence: -1, Sequence: -1, MarkerOffset: -1}
	dropped := &harness.LogCopy{
		Topic: "run-out-transactional", Offset: 80, Standing: "aborted", FirstOffset: 80, LastOffset: 81, ProducerID: 9, Epoch: 2, LeaderEpoch: 3,
		Transactional: true, MarkerOffset: 82,
	}
	return &harness.RecordLife{
		Run: "run", Experiment: "worker-kill", Identity: history.Identity{Sequence: 210}, LoadStart: at(0),
		Ends: []harness.LifeEnd{
			{Pipeline: "idempotent", State: "duplicated", Text: "visible 2 times", Why: []string{"the copy at out-idempotent/0 offset 300: delivered again"}},
			{Pipeline: "transactional", State: "visible", Text: "visible once"},
		},
		Faults: []harness.FaultRecord{{Fault: "worker-kill", Target: "owner of output/0", Injected: at(1000), Healed: at(4000), Resolved: harness.Resolved{Text: "idempotent-0"}}},
		Events: []harness.LifeEvent{
			{At: at(-20), Process: "idempotent-0", Incarnation: 1, Pipeline: "idempotent", Kind: "started", Text: "incarnation 1 starts"},
			{At: at(500), Kind: "scheduled", Text: "scheduled to be sent"},
			{At: at(501), Estimated: true, Kind: "stored", Text: "copy at in/0 offset 70, visible", Copy: bare},
			{At: at(900), Estimated: true, Pipeline: "idempotent", Incarnation: 1, Kind: "stored", Text: "copy at out-idempotent/0 offset 90, visible", Copy: first},
			{At: at(1000), Kind: "injected", Text: "worker-kill owner of output/0 injected: idempotent-0", Faults: []int{0}},
			{At: at(1200), Estimated: true, Pipeline: "transactional", Kind: "stored", Text: "copy at out-transactional/0 offset 80, aborted", Copy: dropped, Faults: []int{0}},
			{At: at(1300), Estimated: true, Pipeline: "transactional", Kind: "marker", Text: "a broker writes the abort marker", Faults: []int{0}},
			{At: at(4000), Kind: "healed", Text: "worker-kill owner of output/0 healed"},
			{At: at(4200), Process: "observer-live", Pipeline: "idempotent", Kind: "seen", Text: "a read_committed reader was given out-idempotent/0 offsets 300 to 309"},
		},
		Missing: []string{"which record an acknowledgement of an output was for"},
	}
}

func TestLife(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.Lives(&b, []*harness.RecordLife{life(), {Run: "run", Experiment: "baseline", Identity: history.Identity{Source: 1}}}))
	golden.Equal(t, "testdata/life.txt", b.Bytes())
}

// TestLifeOfAnEffect: it stands at the service, at the service's time, and no broker's batch is quoted with it.
func TestLifeOfAnEffect(t *testing.T) {
	l := life()
	accepted := &harness.LogCopy{Topic: "run-effects-notify", Offset: 16, Standing: "visible", FirstOffset: 16, LastOffset: 17, ProducerID: -1, Effect: true, Timestamp: 1, MarkerOffset: -1}
	l.Events = []harness.LifeEvent{{At: l.LoadStart, Estimated: true, Pipeline: "notify", Kind: "accepted", Text: "the external service accepts effect 16 of partition 0", Copy: accepted}}
	var b bytes.Buffer
	require.NoError(t, results.Life(&b, l))
	require.Regexp(t, `~0\.000 +notify service +the external service accepts effect 16 of partition 0`, b.String())
	require.NotContains(t, b.String(), "batch ")
}

func TestLifeJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.LivesJSON(&b, []*harness.RecordLife{life(), life()}))
	in := json.NewDecoder(&b)
	for range 2 {
		var got harness.RecordLife
		require.NoError(t, in.Decode(&got))
		require.Equal(t, life(), &got)
	}
	require.ErrorIs(t, in.Decode(&harness.RecordLife{}), io.EOF)
}
