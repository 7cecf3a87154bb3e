package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// shortLoad is long enough for a fault at its beginning, endless for one that only an end before time ends.
const (
	shortLoad = 50 * time.Millisecond
	endless   = time.Hour
)

// runWithin bounds every run: what never ends fails the test instead of hanging it.
const runWithin = 20 * time.Second

// closing are the steps from the heal on when nothing interrupts the run.
var closing = []string{
	"heal f", "stop sources", "drained", "stop sources", "stop workers", "settled", "observer stop", "read back", "judge",
	"fleet close", "cluster close",
}

// play does the run and returns what run.json says of it.
func (s *stage) play(ctx context.Context, spec RunSpec) (*Outcome, *RunRecord, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, runWithin)
	defer cancel()
	out, err := Run(ctx, s.rooms(), spec)
	require.True(s.t, s.phases.closed, "the terminal is closed")
	dirs, globErr := filepath.Glob(filepath.Join(spec.Out, "*"))
	require.NoError(s.t, globErr)
	require.Len(s.t, dirs, 1)
	record, recordErr := LoadRecord(dirs[0])
	require.NoError(s.t, recordErr)
	return out, record, err
}

func namesOf(all []PhaseRecord) (names []string) {
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}

func phaseOf(t *testing.T, r *RunRecord, name string) PhaseRecord {
	t.Helper()
	i := slices.Index(namesOf(r.Phases), name)
	require.GreaterOrEqual(t, i, 0, "phase %s is not in the record", name)
	return r.Phases[i]
}

func TestRunGoesThroughItsPhases(t *testing.T) {
	s := newStage(t)
	out, record, err := s.play(t.Context(), s.spec(shortLoad, at(0, 0, &scripted{name: "f"})))
	require.NoError(t, err)
	require.Equal(t, append([]string{"cluster start", "new fleet", "observer start", "fleet start", "feed", "inject f"}, closing...), s.steps())

	saved := []string{"cluster", "topics", "warm", "load", "heal", "drain", "stop", "settle", "read back"}
	require.Equal(t, append(slices.Clone(saved), "verify"), s.phases.names)
	require.Equal(t, saved, namesOf(record.Phases), "saved before the verdict, which reads it")
	before := record.Base
	for _, p := range record.Phases {
		require.Empty(t, p.Error)
		require.GreaterOrEqual(t, p.Start, before, p.Name)
		require.GreaterOrEqual(t, p.End, p.Start, p.Name)
		before = p.End
	}
	load := phaseOf(t, record, "load")
	require.True(t, load.Start <= record.LoadStart && record.LoadStart <= load.End)
	require.GreaterOrEqual(t, load.End.Sub(load.Start), shortLoad)

	require.Empty(t, record.Incidents)
	require.Equal(t, []HistoryRecord{{File: "history/fleet"}, {File: "history/observer"}}, record.Histories)
	require.Equal(t, []Feature{{Name: "transaction.version", Level: 2}}, record.Features)
	require.Len(t, record.Faults, 1)
	require.NotZero(t, record.Faults[0].Healed)
	require.False(t, out.Interrupted)
	require.Nil(t, out.Kept)
	require.Equal(t, record.Name, out.Report.Run)
	require.Equal(t, record.Name, filepath.Base(out.Dir))
}

func TestTopicsAreMadeAsPlanned(t *testing.T) {
	s := newStage(t)
	_, record, err := s.play(t.Context(), s.spec(shortLoad))
	require.NoError(t, err)
	require.Equal(t, controllerNode, record.Plan.Controller)
	require.NotEqual(t, controllerNode, record.Plan.Replicas[0][0])
	for _, topic := range append(record.Plan.topics(), offsetsTopic, transactionsTopic) {
		require.NotNil(t, s.kafka.TopicInfo(topic), topic)
	}
	for _, topic := range record.Plan.topics() {
		require.Len(t, s.kafka.PartitionInfos(topic), record.Plan.Partitions)
	}
}

func TestAnErrorBeforeWarmEndsTheRun(t *testing.T) {
	broken := errors.New("no jar")
	for step, left := range map[string]struct{ phases, steps []string }{
		"cluster start": {[]string{"cluster"}, []string{"cluster start"}}, // a provider that fails leaves nothing
		"new fleet":     {[]string{"cluster", "topics"}, []string{"cluster start", "new fleet", "fleet close", "cluster close"}},
	} {
		t.Run(step, func(t *testing.T) {
			s := newStage(t)
			s.on(step, func(context.Context) error { return broken })
			out, record, err := s.play(t.Context(), s.spec(shortLoad))
			require.ErrorIs(t, err, broken)
			require.Nil(t, out)
			require.Equal(t, left.steps, s.steps())
			require.Equal(t, left.phases, namesOf(record.Phases))
			require.ErrorContains(t, errors.New(record.Phases[len(record.Phases)-1].Error), "no jar")
		})
	}
}

func TestTopicsThatCannotBeMadeCloseTheCluster(t *testing.T) {
	s := newStage(t)
	s.kafka.ControlKey(int16(kmsg.CreateTopics), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.CreateTopicsResponse)
		topic := kmsg.NewCreateTopicsResponseTopic()
		topic.Topic, topic.ErrorCode = "in", 44
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	out, _, err := s.play(t.Context(), s.spec(shortLoad))
	require.ErrorContains(t, err, "topics: creating topic in: POLICY_VIOLATION")
	require.Nil(t, out)
	require.Equal(t, []string{"cluster start", "cluster close"}, s.steps())
}

func TestAFailedTearDownIsAnError(t *testing.T) {
	s := newStage(t)
	s.on("fleet close", func(context.Context) error { return errors.New("a zombie") })
	s.on("cluster close", func(context.Context) error { return errors.New("a port") })
	out, _, err := s.play(t.Context(), s.spec(shortLoad))
	require.ErrorContains(t, err, "a zombie")
	require.ErrorContains(t, err, "a port")
	require.NotNil(t, out.Report)
}

func TestAKeptClusterIsNotClosed(t *testing.T) {
	s := newStage(t)
	spec := s.spec(shortLoad)
	spec.Keep = true
	out, _, err := s.play(t.Context(), spec)
	require.NoError(t, err)
	require.Equal(t, "staged", out.Kept.Provider)
	require.Equal(t, []string{"fleet close"}, s.from("fleet close"))
}

func TestTheScheduleWaitsForProgress(t *testing.T) {
	s := newStage(t)
	var asked atomic.Int32
	s.visible = func() uint64 {
		n := asked.Add(1)
		if n == 4 {
			s.journal.add("progress")
		}
		return uint64(n / 4)
	}
	_, _, err := s.play(t.Context(), s.spec(shortLoad, at(0, 0, &scripted{name: "f"})))
	require.NoError(t, err)
	require.Equal(t, "inject f", s.from("progress")[1])
}

// TestAWarmPhaseWithoutProgress takes an observer that can't record to end a phase that would wait for its minute.
func TestAWarmPhaseWithoutProgress(t *testing.T) {
	s := newStage(t)
	s.visible = func() uint64 { return 0 }
	s.failed = func() error {
		if s.journal.has("feed") {
			return errors.New("disk full")
		}
		return nil
	}
	out, record, err := s.play(t.Context(), s.spec(shortLoad, at(0, 0, &scripted{name: "f"})))
	require.NoError(t, err)
	require.False(t, out.Interrupted)
	require.Equal(t, []string{"warm: disk full: pipeline idempotent, partition 0 showed no progress end to end"}, record.Incidents)
	require.Equal(t, record.Incidents, out.Report.Inconclusive)
	require.Equal(t, []string{"cluster", "topics", "warm", "heal", "stop", "settle", "read back"}, namesOf(record.Phases))
	require.Equal(t, closing[3:], s.from("stop sources"), "nothing is waited for: there is nothing to drain")
	require.False(t, s.journal.has("inject f"))
	require.Len(t, record.Faults, 1)
	require.Zero(t, record.Faults[0].Injected)
}

func TestAFleetThatDoesNotStartIsAnIncident(t *testing.T) {
	s := newStage(t)
	s.on("fleet start", func(context.Context) error { return errors.New("no such command") })
	out, record, err := s.play(t.Context(), s.spec(shortLoad))
	require.NoError(t, err)
	require.NotNil(t, out.Report)
	require.Equal(t, []string{"warm: no such command"}, record.Incidents)
	require.False(t, s.journal.has("feed"))
	require.Equal(t, closing[3:], s.from("stop sources"))
}

// TestInterrupt cancels the run in each step from warm on. Whatever was injected is healed, and everything is closed, on
// contexts that the cancellation does not reach.
func TestInterrupt(t *testing.T) {
	closed := []string{"stop sources", "stop workers", "observer stop", "read back", "judge", "fleet close", "cluster close"}
	drained := append([]string{"stop sources", "drained"}, closed...)
	for step, want := range map[string][]string{
		"feed":         closed,
		"drained":      drained,
		"stop workers": drained, // what is undecided then is not waited for
		"settled":      closing[1:],
		"read back":    closing[1:],
	} {
		t.Run(step, func(t *testing.T) {
			s := newStage(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			checked := []string{"stop workers", "observer stop", "read back", "fleet close", "cluster close"}
			for _, name := range checked {
				s.on(name, func(ctx context.Context) error { return ctx.Err() })
			}
			s.on(step, func(of context.Context) error {
				cancel()
				if slices.Contains(checked, step) {
					return of.Err()
				}
				return errors.New("not yet")
			})
			out, record, err := s.play(ctx, s.spec(shortLoad))
			require.NoError(t, err)
			require.True(t, out.Interrupted)
			require.Equal(t, want, s.from("stop sources"))
			require.Contains(t, record.Incidents, "the run was interrupted", "a later verify must see it")
			for _, name := range []string{"heal", "stop", "read back"} {
				require.Empty(t, phaseOf(t, record, name).Error)
			}
			require.Equal(t, record.Incidents, out.Report.Inconclusive)
		})
	}
}

func TestAnInterruptBeforeWarmLeavesItOut(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.on("new fleet", func(context.Context) error { cancel(); return nil })
	out, record, err := s.play(ctx, s.spec(shortLoad))
	require.NoError(t, err)
	require.True(t, out.Interrupted)
	require.Equal(t, []string{"cluster", "topics", "heal", "stop", "read back"}, namesOf(record.Phases))
	require.Equal(t, []string{"the run was interrupted"}, record.Incidents)
	require.False(t, s.journal.has("fleet start"))
}

func TestAnInterruptBeforeTopicsEndsTheRun(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	pressed := errors.New("Ctrl-C")
	s.on("cluster start", func(context.Context) error { cancel(pressed); return nil })
	out, _, err := s.play(ctx, s.spec(shortLoad))
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, out)
	require.Equal(t, []string{"cluster start", "cluster close"}, s.steps())
}

func TestInterruptInLoadHealsTheFault(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.visible = func() uint64 {
		if s.journal.has("inject f") {
			cancel()
		}
		return 1
	}
	var left time.Duration
	s.on("read back", func(ctx context.Context) error {
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		left = time.Until(deadline)
		return ctx.Err()
	})
	out, record, err := s.play(ctx, s.spec(endless, at(0, endless, &scripted{name: "f"})))
	require.NoError(t, err)
	require.True(t, out.Interrupted)
	require.Equal(t, []string{
		"inject f", "heal f", "stop sources", "stop workers", "observer stop", "read back", "judge", "fleet close", "cluster close",
	}, s.from("inject f"))
	require.LessOrEqual(t, left, 20*time.Second)
	require.Equal(t, []string{"cluster", "topics", "warm", "load", "heal", "stop", "read back"}, namesOf(record.Phases))
	require.Empty(t, phaseOf(t, record, "heal").Error)
	require.NotZero(t, record.Faults[0].Healed)
	require.Contains(t, record.Incidents, "the run was interrupted")
}

// TestAnInterruptedDrainStillStopsTheSources: a source that is being stopped when the interrupt comes goes on.
func TestAnInterruptedDrainStillStopsTheSources(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.on("stop sources", func(stopping context.Context) error {
		cancel()
		_, bounded := stopping.Deadline()
		require.True(t, bounded)
		return stopping.Err()
	})
	out, record, err := s.play(ctx, s.spec(shortLoad))
	require.NoError(t, err)
	require.True(t, out.Interrupted)
	require.NotContains(t, namesOf(record.Phases), "settle")
	require.Empty(t, phaseOf(t, record, "drain").Error)
	require.Empty(t, phaseOf(t, record, "stop").Error)
	require.True(t, s.journal.has("stop workers"))
}

func TestAnObserverThatCannotRecordEndsTheLoad(t *testing.T) {
	s := newStage(t)
	s.failed = func() error {
		if s.journal.has("inject f") {
			return errors.New("disk full")
		}
		return nil
	}
	out, record, err := s.play(t.Context(), s.spec(endless, at(0, endless, &scripted{name: "f"})))
	require.NoError(t, err)
	require.False(t, out.Interrupted)
	require.Equal(t, []string{"load: disk full"}, record.Incidents)
	require.Equal(t, closing, s.from("heal f"))
	require.NotZero(t, record.Faults[0].Healed)
}

func TestWhatGoesWrongInClosingIsAnIncident(t *testing.T) {
	s := newStage(t)
	s.incidents = []string{"worker 0 ended"}
	for _, step := range []string{"stop workers", "observer stop", "read back"} {
		s.on(step, func(context.Context) error { return errors.New("broken " + step) })
	}
	out, record, err := s.play(t.Context(), s.spec(shortLoad, at(0, 0, &scripted{name: "f", healFails: 2})))
	require.NoError(t, err)
	require.Equal(t, []string{
		"load: healing f on f: stuck", "heal: healing f on f: stuck", "worker 0 ended", "stop: broken stop workers",
		"read back: broken observer stop\nbroken read back",
	}, record.Incidents)
	require.Equal(t, record.Incidents, out.Report.Inconclusive)
	require.Equal(t, closing[1:], s.from("stop sources"))
}

// TestABrokerThatDiesIsOneIncident: the second look sees it dead still, and the heal does not wait for it.
func TestABrokerThatDiesIsOneIncident(t *testing.T) {
	s := newStage(t)
	var looks atomic.Int32
	s.status = func() ([]NodeStatus, error) {
		looks.Add(1)
		return []NodeStatus{{Node: 1, Unplanned: true, Reason: "OutOfMemoryError"}, {Node: 2, State: NodeStopped}}, nil
	}
	s.visible = func() uint64 { return uint64(max(0, looks.Load()-1)) }
	out, record, err := s.play(t.Context(), s.spec(shortLoad))
	require.NoError(t, err)
	require.Len(t, record.Incidents, 2)
	require.Equal(t, "broker 1 died unplanned: OutOfMemoryError", record.Incidents[0])
	require.Contains(t, record.Incidents[1], errBrokerDied.Error())
	require.Equal(t, record.Incidents, out.Report.Inconclusive)
	require.Equal(t, closing[1:], s.from("stop sources"))
}

func TestABrokerThatDiesInTheReadBackIsSeen(t *testing.T) {
	s := newStage(t)
	s.status = func() ([]NodeStatus, error) {
		return []NodeStatus{{Node: 1, Unplanned: s.journal.has("read back"), Reason: "late"}}, nil
	}
	_, record, err := s.play(t.Context(), s.spec(shortLoad))
	require.NoError(t, err)
	require.Equal(t, []string{"broker 1 died unplanned: late"}, record.Incidents)
}

func TestASilentKeeperIsOneIncident(t *testing.T) {
	s := newStage(t)
	s.status = func() ([]NodeStatus, error) { return nil, errors.New("connection refused") }
	_, record, err := s.play(t.Context(), s.spec(shortLoad))
	require.NoError(t, err)
	require.Equal(t, []string{"what keeps the cluster does not answer: connection refused"}, record.Incidents)
}

func TestARunWhoseClusterIsLostIsGivenUp(t *testing.T) {
	s := newStage(t)
	s.status = func() ([]NodeStatus, error) { return nil, errors.New("connection refused") }
	out, record, err := s.play(t.Context(), s.spec(time.Minute))
	require.NoError(t, err)
	require.Len(t, record.Incidents, 2, "it does not load what is not there")
	require.Contains(t, record.Incidents[1], errClusterLost.Error())
	require.Equal(t, record.Incidents, out.Report.Inconclusive)
	require.NotContains(t, s.from("stop workers"), "drained", "nothing is waited for")
	require.Contains(t, s.from("stop workers"), "cluster close")
}

// TestAClusterThatIsLostLater: no phase waits to its end for what is not there any more, and none after it.
func TestAClusterThatIsLostLater(t *testing.T) {
	for _, during := range []string{"drained", "settled", "read back"} {
		t.Run(during, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.status = func() ([]NodeStatus, error) {
				if s.journal.has(during) {
					return nil, errors.New("connection refused")
				}
				return nil, nil
			}
			s.on(during, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			out, record, err := s.play(t.Context(), s.spec(shortLoad, at(0, 0, &scripted{name: "f"})))
			require.NoError(t, err)
			require.Equal(t, "what keeps the cluster does not answer: connection refused", record.Incidents[0])
			require.Contains(t, record.Incidents[1], errClusterLost.Error())
			for _, p := range record.Phases {
				require.NotContains(t, p.Error, errPhaseTooLong.Error())
			}
			require.Equal(t, record.Incidents, out.Report.Inconclusive)
			require.Contains(t, s.from("stop workers"), "cluster close")
		})
	}
}

// TestARecordThatCannotBeSavedIsInTheReport: a folder in the record's place, until it has been tried, is the full disk.
func TestARecordThatCannotBeSavedIsInTheReport(t *testing.T) {
	s := newStage(t)
	spec := s.spec(shortLoad, at(0, 0, &scripted{name: "f"}))
	var path string
	s.on("read back", func(context.Context) error {
		dirs, err := filepath.Glob(filepath.Join(spec.Out, "*"))
		require.NoError(t, err)
		path = filepath.Join(dirs[0], RecordFile)
		return errors.Join(os.Rename(path, path+".before"), os.Mkdir(path, 0o755))
	})
	s.on("judge", func(context.Context) error { return errors.Join(os.Remove(path), os.Rename(path+".before", path)) })
	out, record, err := s.play(t.Context(), spec)
	require.NoError(t, err)
	require.Empty(t, record.Histories, "the record from before the load")
	require.Len(t, out.Report.Inconclusive, 1)
	require.Contains(t, out.Report.Inconclusive[0], RecordFile)
	require.Len(t, out.Report.Faults, 1)
}

func TestAVerdictThatFailsIsAnError(t *testing.T) {
	s := newStage(t)
	s.on("judge", func(context.Context) error { return errors.New("no index") })
	_, _, err := s.play(t.Context(), s.spec(shortLoad))
	require.ErrorContains(t, err, "verify: no index")
	require.Equal(t, []string{"judge", "fleet close", "cluster close"}, s.from("judge"))
}
