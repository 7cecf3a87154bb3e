package harness

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/chaeos/chaeos/harness/fakequorum"
)

// stage is every room of a run, played by fakes around kfake's brokers. Each call is a step in the journal; a test hooks
// into a step by its name to make it fail, to cancel, or to look.
type stage struct {
	t       *testing.T
	journal journal
	kafka   *kfake.Cluster
	hooks   map[string]func(context.Context) error
	// status is what the cluster says of its nodes, visible what the observer has seen.
	status  func() ([]NodeStatus, error)
	visible func() uint64
	failed  func() error
	// incidents are the fleet's.
	incidents []string
	phases    phases
}

// controllerNode leads the quorum that kfake doesn't have.
const controllerNode = 2

func newStage(t *testing.T) *stage {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(3))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	require.NoError(t, fakequorum.Answer(t.Context(), kafka, controllerNode))
	return &stage{
		t: t, kafka: kafka, hooks: map[string]func(context.Context) error{},
		status:  func() ([]NodeStatus, error) { return []NodeStatus{{Node: 1, State: NodeRunning}}, nil },
		visible: func() uint64 { return 1 },
		failed:  func() error { return nil },
	}
}

// step records a call, and does what the test hooked to it.
func (s *stage) step(ctx context.Context, name string) error {
	s.journal.add(name)
	if hook := s.hooks[name]; hook != nil {
		return hook(ctx)
	}
	return nil
}

// on hooks into a step.
func (s *stage) on(name string, hook func(context.Context) error) { s.hooks[name] = hook }

// steps are the steps so far.
func (s *stage) steps() []string {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return slices.Clone(s.journal.events)
}

// from returns the steps from the first of that name on.
func (s *stage) from(name string) []string {
	all := s.steps()
	i := slices.Index(all, name)
	require.GreaterOrEqual(s.t, i, 0, "%q is not among %q", name, all)
	return all[i:]
}

func (s *stage) rooms() Rooms {
	return Rooms{
		Provider:    stageProvider{s},
		NewFleet:    func(FleetSpec) (Fleet, error) { return stageFleet{s: s}, s.step(s.t.Context(), "new fleet") },
		NewObserver: func(ObserverSpec) (Observer, error) { return stageObserver{s}, nil },
		Infos:       testInfos(),
		Settled: func(ctx context.Context, _ ReadBackSpec) (bool, string, error) {
			err := s.step(ctx, "settled")
			return err == nil, "", err
		},
		Drained: func(ctx context.Context, _ ReadBackSpec) (bool, string, error) {
			err := s.step(ctx, "drained")
			return err == nil, "", err
		},
		ReadBack: func(ctx context.Context, _ ReadBackSpec) error { return s.step(ctx, "read back") },
		Judge:    s.judge,
		Terminal: &s.phases,
	}
}

// judge answers with what the record in the folder says, as the real one does.
func (s *stage) judge(dir string) (*Report, error) {
	if err := s.step(s.t.Context(), "judge"); err != nil {
		return nil, err
	}
	record, err := LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	return &Report{Run: record.Name, Inconclusive: record.Incidents, Faults: record.Faults}, nil
}

// spec is a run with a short load and the given faults.
func (s *stage) spec(load time.Duration, faults ...ScheduledFault) RunSpec {
	for _, f := range faults {
		f.Fault.(*scripted).journal = &s.journal
	}
	exp := testExperiment()
	exp.Name, exp.Pipelines, exp.Faults = "staged", []string{"idempotent"}, faults
	exp.Load = Load{Rate: 1, Duration: load}
	return RunSpec{Experiment: exp, Seed: 7, Out: s.t.TempDir()}
}

// phases is a terminal that remembers the phases it was shown.
type phases struct {
	silent
	mu     sync.Mutex
	names  []string
	closed bool
}

func (p *phases) Phase(name, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names = append(p.names, name)
}

func (p *phases) Close() { p.closed = true }

type stageProvider struct{ s *stage }

func (stageProvider) Name() string { return "staged" }

func (p stageProvider) Start(ctx context.Context, _ ClusterSpec) (Cluster, error) {
	if err := p.s.step(ctx, "cluster start"); err != nil {
		return nil, err
	}
	return stageCluster{s: p.s}, nil
}

// stageCluster is kfake as far as a run itself needs a cluster: the other methods panic.
type stageCluster struct {
	Cluster
	s *stage
}

func (c stageCluster) Info() ClusterInfo {
	return ClusterInfo{Provider: "staged", Nodes: []int{0, 1, 2}, Bootstrap: c.s.kafka.ListenAddrs()}
}

func (c stageCluster) Direct() Dials {
	dials := Dials{}
	for _, addr := range c.s.kafka.ListenAddrs() {
		dials[addr] = addr
	}
	return dials
}

func (c stageCluster) Status(context.Context) ([]NodeStatus, error) { return c.s.status() }
func (c stageCluster) Close(ctx context.Context) error              { return c.s.step(ctx, "cluster close") }

// stageFleet has no processes.
type stageFleet struct {
	noMembers
	s *stage
}

func (f stageFleet) Start(ctx context.Context) error       { return f.s.step(ctx, "fleet start") }
func (f stageFleet) Feed(ctx context.Context) error        { return f.s.step(ctx, "feed") }
func (f stageFleet) StopSources(ctx context.Context) error { return f.s.step(ctx, "stop sources") }
func (f stageFleet) StopWorkers(ctx context.Context) error { return f.s.step(ctx, "stop workers") }
func (f stageFleet) Close(ctx context.Context) error       { return f.s.step(ctx, "fleet close") }
func (f stageFleet) Offered(string) uint64                 { return 1 }
func (f stageFleet) Incidents() []string                   { return f.s.incidents }
func (f stageFleet) Histories() []HistoryRecord            { return []HistoryRecord{{File: "history/fleet"}} }

// stageObserver sees what the test says.
type stageObserver struct{ s *stage }

func (o stageObserver) Start(ctx context.Context) error { return o.s.step(ctx, "observer start") }
func (o stageObserver) Stop(ctx context.Context) error  { return o.s.step(ctx, "observer stop") }
func (o stageObserver) Visible(string) uint64           { return o.s.visible() }
func (o stageObserver) VisibleIn(string, int32) uint64  { return o.s.visible() }
func (o stageObserver) LargestLag(string) int64         { return 0 }
func (o stageObserver) Failed() error                   { return o.s.failed() }
func (o stageObserver) Histories() []HistoryRecord {
	return []HistoryRecord{{File: "history/observer"}}
}
