package workloads

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/fleet"
)

// TestMain lets the test binary be its own worker, as the real command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Subcommand {
		if err := RunProcess(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	partitions = 3
	runName    = "test"
)

// fakeCluster is kfake as far as a fleet needs a cluster.
type fakeCluster struct {
	harness.Cluster
	kfake *kfake.Cluster
}

func (c fakeCluster) Info() harness.ClusterInfo {
	return harness.ClusterInfo{Bootstrap: c.kfake.ListenAddrs()}
}

func (c fakeCluster) ClientLinks(context.Context, string) (harness.Dials, error) {
	dials := harness.Dials{}
	for _, a := range c.kfake.ListenAddrs() {
		dials[a] = a
	}
	return dials, nil
}

// rig is a fleet on a fake cluster.
type rig struct {
	*fleet.Fleet
	t     *testing.T
	kfake *kfake.Cluster
	dir   string
	plan  harness.TopicPlan
	admin *kgo.Client
}

// setup is what a rig is made of, apart from its pipelines.
type setup struct {
	workers int
	load    harness.Load
	shared  harness.Shared
	// options are every pipeline's, configs the brokers'.
	options map[string]string
	configs map[string]string
	// command runs a member; empty: this test binary.
	command []string
}

func testShared() harness.Shared {
	s := harness.DefaultShared()
	s.Work = time.Millisecond
	s.SessionTimeout = 3 * time.Second
	s.TransactionTimeout = 5 * time.Second
	s.AutoCommitInterval = 150 * time.Millisecond
	return s
}

// patient is testShared where no member must be missed: however slow the machine is, no session and no transaction ends.
func patient() harness.Shared {
	s := testShared()
	s.SessionTimeout, s.TransactionTimeout = 30*time.Second, time.Minute
	return s
}

func testLoad() harness.Load {
	return harness.Load{Rate: 400, RecordSize: 100, Burst: 600, BurstEvery: 500 * time.Millisecond}
}

func newRig(t *testing.T, workers int, load harness.Load, names ...string) *rig {
	t.Helper()
	return setup{workers: workers, load: load, shared: testShared()}.rig(t, names...)
}

func (s setup) rig(t *testing.T, names ...string) *rig {
	t.Helper()
	plan, options := harness.TopicPlan{Input: "in", Partitions: partitions, MinISR: 1}, map[string]map[string]string{}
	topics := []string{"in"}
	for i, name := range names {
		l := s.layOut(t, name, uint16(i+1))
		if !l.Effects {
			topics = append(topics, l.Outputs()...)
		}
		plan.Pipelines = append(plan.Pipelines, l)
		options[name] = s.options
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(partitions, topics...),
		kfake.GroupMinSessionTimeout(100*time.Millisecond), kfake.BrokerConfigs(s.configs))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	if s.command == nil {
		s.command = []string{os.Args[0]}
	}
	return rigOn(t, cluster, harness.FleetSpec{
		Command: s.command, Dir: t.TempDir(), RunID: history.RunIDOf(runName), Cluster: fakeCluster{kfake: cluster}, Plan: plan,
		Experiment: harness.Experiment{Workers: s.workers, Load: s.load, Shared: s.shared, Options: options},
	})
}

// layOut is a pipeline's layout; source is its number if it is a producer under test.
func (s setup) layOut(t *testing.T, name string, source uint16) harness.PipelineLayout {
	t.Helper()
	p, err := Lookup(name)
	require.NoError(t, err)
	l := harness.PipelineLayout{PipelineInfo: p.PipelineInfo, Output: "out-" + name, Group: "group-" + name}
	if p.ProducerOnly {
		l.Source, l.Group = source, ""
		l.TransactionalIDs = []string{name}
	}
	for w := range s.workers {
		if p.Transactional {
			l.TransactionalIDs = append(l.TransactionalIDs, fmt.Sprintf("%s-%d", name, w))
		}
	}
	for n := 2; n <= p.Topics; n++ {
		l.Further = append(l.Further, fmt.Sprintf("%s-%d", l.Output, n))
	}
	return l
}

func rigOn(t *testing.T, cluster *kfake.Cluster, spec harness.FleetSpec) *rig {
	t.Helper()
	members, err := NewFleet(spec)
	require.NoError(t, err)
	admin, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	r := &rig{Fleet: members, t: t, kfake: cluster, dir: spec.Dir, plan: spec.Plan, admin: admin}
	require.NoError(t, harness.ConfigureShareGroups(t.Context(), admin, spec.Plan, spec.Experiment.Shared))
	t.Cleanup(func() {
		require.NoError(t, members.Close(context.Background()))
		if t.Failed() {
			r.dumpLogs()
		}
	})
	return r
}

func (r *rig) dumpLogs() {
	logs, _ := filepath.Glob(filepath.Join(r.dir, "processes", "*.log"))
	for _, path := range logs {
		if data, _ := os.ReadFile(path); len(data) > 0 {
			r.t.Logf("%s:\n%s", path, data)
		}
	}
	r.t.Logf("incidents: %q", r.Incidents())
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// soon bounds what takes a moment: only a test that hangs reaches it, however slow the machine is.
func soon(t *testing.T) context.Context {
	t.Helper()
	return within(t, 2*time.Minute)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	err := wait.Poll(soon(t), 5*time.Millisecond, func() (bool, error) { return try(), nil })
	require.NoError(t, err, what)
}

func (r *rig) start() {
	r.t.Helper()
	require.NoError(r.t, r.Start(soon(r.t)))
	require.NoError(r.t, r.Feed(soon(r.t)))
}

func (r *rig) offer(pipeline string, n uint64) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d offered", n), func() bool { return r.Offered(pipeline) >= n })
}

// finish stops the sources, lets the workers drain, and stops them.
func (r *rig) finish() {
	r.t.Helper()
	require.NoError(r.t, r.StopSources(soon(r.t)))
	for _, l := range r.plan.Pipelines {
		if !l.ProducerOnly {
			eventually(r.t, "drained "+l.Name, func() bool { return r.drained(l) })
		}
	}
	require.NoError(r.t, r.StopWorkers(soon(r.t)))
}

// drained reports whether the committed offset of every partition is past its last record.
func (r *rig) drained(l harness.PipelineLayout) bool {
	if l.ShareGroup {
		return r.acknowledged(l)
	}
	at, err := kadm.NewClient(r.admin).FetchOffsets(r.t.Context(), l.Group)
	require.NoError(r.t, err)
	for p := range int32(partitions) {
		o, _ := at.Lookup("in", p)
		if o.At < r.kfake.PartitionInfo("in", p).HighWatermark {
			return false
		}
	}
	return true
}

// acknowledged reports whether a share group starts past the last record of every partition.
func (r *rig) acknowledged(l harness.PipelineLayout) bool {
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
	g.GroupID = l.Group
	req.Groups = append(req.Groups, g)
	resp, err := req.RequestWith(r.t.Context(), r.admin)
	require.NoError(r.t, err)
	starts := map[int32]int64{}
	for _, t := range resp.Groups[0].Topics {
		for _, p := range t.Partitions {
			starts[p.Partition] = p.StartOffset
		}
	}
	for p := range int32(partitions) {
		if starts[p] < r.kfake.PartitionInfo("in", p).HighWatermark {
			return false
		}
	}
	return true
}
