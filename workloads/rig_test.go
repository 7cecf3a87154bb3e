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
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
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
	*Fleet
	t     *testing.T
	kfake *kfake.Cluster
	plan  harness.TopicPlan
	admin *kgo.Client
}

func testShared() harness.Shared {
	s := harness.DefaultShared()
	s.Work = time.Millisecond
	s.SessionTimeout = 3 * time.Second
	s.TransactionTimeout = 5 * time.Second
	s.AutoCommitInterval = 150 * time.Millisecond
	return s
}

func testLoad() harness.Load {
	return harness.Load{Rate: 400, RecordSize: 100, Burst: 600, BurstEvery: 500 * time.Millisecond}
}

func newRig(t *testing.T, workers int, load harness.Load, names ...string) *rig {
	t.Helper()
	return newRigWith(t, nil, workers, load, names...)
}

// newRigWith is a rig whose brokers have these configurations.
func newRigWith(t *testing.T, configs map[string]string, workers int, load harness.Load, names ...string) *rig {
	t.Helper()
	plan := harness.TopicPlan{Input: "in", Partitions: partitions, MinISR: 1}
	topics := []string{"in"}
	for i, name := range names {
		p, err := Lookup(name)
		require.NoError(t, err)
		l := harness.PipelineLayout{PipelineInfo: p.PipelineInfo, Output: "out-" + name, Group: "group-" + name}
		if p.ProducerOnly {
			l.Source, l.Group = uint16(i+1), ""
			l.TransactionalIDs = []string{name}
		}
		for w := range workers {
			if p.Transactional {
				l.TransactionalIDs = append(l.TransactionalIDs, fmt.Sprintf("%s-%d", name, w))
			}
		}
		for n := 2; n <= p.Topics; n++ {
			l.Further = append(l.Further, fmt.Sprintf("%s-%d", l.Output, n))
		}
		if !p.Effects {
			topics = append(topics, l.Outputs()...)
		}
		plan.Pipelines = append(plan.Pipelines, l)
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(partitions, topics...),
		kfake.GroupMinSessionTimeout(100*time.Millisecond), kfake.BrokerConfigs(configs))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return rigOn(t, cluster, plan, workers, load)
}

func rigOn(t *testing.T, cluster *kfake.Cluster, plan harness.TopicPlan, workers int, load harness.Load) *rig {
	t.Helper()
	fleet, err := NewFleet(harness.FleetSpec{
		Command: []string{os.Args[0]}, Dir: t.TempDir(), RunID: history.RunIDOf(runName),
		Cluster: fakeCluster{kfake: cluster}, Plan: plan,
		Experiment: harness.Experiment{Workers: workers, Load: load, Shared: testShared()},
	})
	require.NoError(t, err)
	admin, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	r := &rig{Fleet: fleet, t: t, kfake: cluster, plan: plan, admin: admin}
	require.NoError(t, harness.ConfigureShareGroups(t.Context(), admin, plan, testShared()))
	t.Cleanup(func() {
		require.NoError(t, fleet.Close(context.Background()))
		if t.Failed() {
			r.dumpLogs()
		}
	})
	return r
}

func (r *rig) dumpLogs() {
	logs, _ := filepath.Glob(filepath.Join(r.spec.Dir, "processes", "*.log"))
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

// eventually waits for a condition with a deadline.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	err := wait.Poll(within(t, 60*time.Second), 5*time.Millisecond, func() (bool, error) { return try(), nil })
	require.NoError(t, err, what)
}

func (r *rig) start() {
	r.t.Helper()
	require.NoError(r.t, r.Start(within(r.t, 30*time.Second)))
	require.NoError(r.t, r.Feed(within(r.t, 10*time.Second)))
}

func (r *rig) offer(pipeline string, n uint64) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d offered", n), func() bool { return r.Offered(pipeline) >= n })
}

// finish stops the sources, lets the workers drain, and stops them.
func (r *rig) finish() {
	r.t.Helper()
	require.NoError(r.t, r.StopSources(within(r.t, 20*time.Second)))
	for _, l := range r.plan.Pipelines {
		if !l.ProducerOnly {
			eventually(r.t, "drained "+l.Name, func() bool { return r.drained(l) })
		}
	}
	require.NoError(r.t, r.StopWorkers(within(r.t, 30*time.Second)))
}

// drained says whether the committed position of every partition is past its last record.
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

// acknowledged says whether a share group starts past the last record of every partition.
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

type visible struct {
	history.Output
	isOutput  bool
	partition int32
	offset    int64
}

// readAll reads every record of a topic that read_committed shows, up to the high watermark, which markers move too.
func (r *rig) readAll(topic string) []visible {
	r.t.Helper()
	missing, offsets := map[int32]int64{}, map[int32]kgo.Offset{}
	for p := range int32(partitions) {
		offsets[p] = kgo.NewOffset().AtStart()
		if hw := r.kfake.PartitionInfo(topic, p).HighWatermark; hw > 0 {
			missing[p] = hw
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(r.kfake.ListenAddrs()...), kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}))
	require.NoError(r.t, err)
	defer client.Close()
	ctx := within(r.t, 20*time.Second)
	var all []visible
	for len(missing) > 0 {
		fetches := client.PollFetches(ctx)
		require.NoError(r.t, ctx.Err(), "reading %s, not reached: %v", topic, missing)
		fetches.EachRecord(func(rec *kgo.Record) {
			if rec.Offset+1 >= missing[rec.Partition] {
				delete(missing, rec.Partition)
			}
			if rec.Attrs.IsControl() {
				return
			}
			env, isOutput, err := history.Decode(rec.Value)
			require.NoError(r.t, err)
			all = append(all, visible{env, isOutput, rec.Partition, rec.Offset})
		})
	}
	return all
}

// outputsOf reads every output of a pipeline, from its topic or from the service's store.
func (r *rig) outputsOf(pipeline string) []visible {
	r.t.Helper()
	p, err := Lookup(pipeline)
	require.NoError(r.t, err)
	if !p.Effects {
		return r.readAll("out-" + pipeline)
	}
	store, err := effects.Open(effects.Path(r.spec.Dir))
	require.NoError(r.t, err)
	defer store.Close()
	var all []visible
	for partition := range int32(partitions) {
		some, err := store.From(r.t.Context(), pipeline, partition, 0, 1_000_000)
		require.NoError(r.t, err)
		for _, e := range some {
			env, isOutput, err := history.Decode(e.Value)
			require.NoError(r.t, err)
			all = append(all, visible{env, isOutput, partition, e.Offset})
		}
	}
	return all
}

// counts returns how often each input is visible in the pipeline's output, which is the same in all of its topics.
func (r *rig) counts(pipeline string) map[history.Identity]int {
	r.t.Helper()
	inputs := r.readAll("in")
	n := r.countsIn(inputs, r.outputsOf(pipeline))
	l, err := r.plan.Pipeline(pipeline)
	require.NoError(r.t, err)
	for _, topic := range l.Further {
		require.Equal(r.t, n, r.countsIn(inputs, r.readAll(topic)), "all or none: %s", topic)
	}
	return n
}

func (r *rig) countsIn(inputs, outputs []visible) map[history.Identity]int {
	r.t.Helper()
	n := map[history.Identity]int{}
	for _, v := range inputs {
		n[v.Identity] = 0
	}
	for _, v := range outputs {
		require.True(r.t, v.isOutput)
		require.Contains(r.t, n, v.Identity)
		require.Equal(r.t, v.partition, v.Origin.Partition, "output partition = input partition")
		n[v.Identity]++
	}
	return n
}

// lostAndDoubled sums up counts.
func lostAndDoubled(n map[history.Identity]int) (lost, doubled int) {
	for _, times := range n {
		if times == 0 {
			lost++
		}
		doubled += max(0, times-1)
	}
	return lost, doubled
}

// entries reads every history of a process name.
func (r *rig) entries(process string) []history.Entry {
	r.t.Helper()
	var all []history.Entry
	for _, h := range r.Histories() {
		if h.Process != process {
			continue
		}
		path := filepath.Join(r.spec.Dir, h.File)
		info, err := os.Stat(path)
		require.NoError(r.t, err)
		require.Equal(r.t, h.Bytes, info.Size())
		tail, err := history.ReadFile(path, func(e history.Entry) error { all = append(all, e); return nil })
		require.NoError(r.t, err)
		require.Equal(r.t, !h.Killed, tail.Whole(), "%s: %+v", h.File, tail)
	}
	return all
}

func of[T history.Entry](entries []history.Entry) []T {
	var all []T
	for _, e := range entries {
		if t, ok := e.(T); ok {
			all = append(all, t)
		}
	}
	return all
}
