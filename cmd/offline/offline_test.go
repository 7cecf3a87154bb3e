// Package offline does whole runs without a JVM: kfake's brokers, and every other room as it is, from the client to the
// verdict. Nothing it shows is ever published as one.
package offline

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/fakequorum"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/observe"
	"github.com/chaeos/chaeos/verifiers/readback"
	"github.com/chaeos/chaeos/workloads"
)

// TestMain lets the test binary be its own sources and workers, as the real command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workloads.Subcommand {
		if err := workloads.RunProcess(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	partitions = 3
	runWithin  = 90 * time.Second
)

// TestHonestBrokers is the control: what is acknowledged is there.
func TestHonestBrokers(t *testing.T) {
	_, rows := newStage(t, honest).play()
	for name, row := range rows {
		require.Equal(t, string(row.Claims), row.Delivered, "%s: %+v", name, row.Verdicts)
		require.Positive(t, row.Numbers.Count("unique"))
		require.Zero(t, row.Numbers.Count("lost"))
		require.Zero(t, row.Numbers.Count("ackedAbsent"))
	}
}

// TestDishonestBrokers plants "acknowledges without storing" below everything: the verdict must count exactly the
// records that were acknowledged and thrown away, and charge the pipeline only where its own producer was lied to.
func TestDishonestBrokers(t *testing.T) {
	s := newStage(t, dishonest)
	report, rows := s.play()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Positive(t, s.planted.measured)
	require.Positive(t, s.planted.input)

	measured := rows["acks1"]
	require.Equal(t, s.planted.measured, measured.Numbers.Count("lost"))
	require.Equal(t, map[string]uint64{"acked but absent": s.planted.measured}, measured.Numbers.ByCause("lostBy"))
	require.Equal(t, measured.Numbers.Count("input"), measured.Numbers.Count("unique")+s.planted.measured)
	require.Equal(t, harness.Violated, measured.Verdict(harness.AtLeastOnce))
	require.Equal(t, 3, report.Exit, report.Why)

	fed := rows["auto-commit"]
	require.Equal(t, s.planted.input, fed.Numbers.Count("ackedAbsent"))
	require.Zero(t, fed.Numbers.Count("lost"), "the source's fault is charged to no pipeline")
	require.Equal(t, string(fed.Claims), fed.Delivered, "%+v", fed.Verdicts)

	source := rows[harness.SourceRow]
	require.Equal(t, s.planted.input, source.Numbers.Count("lost"))
	require.Equal(t, harness.Violated, source.Verdict(harness.AtLeastOnce))
}

const (
	honest    = false
	dishonest = true
)

// stage is a provider of one cluster of kfake brokers, and the terminal of its run.
type stage struct {
	t     *testing.T
	kafka *kfake.Cluster
	// lying is set once the load begins, where the brokers are to lie.
	dishonest bool
	lying     atomic.Bool

	mu sync.Mutex
	// input and measured are the ids of the topics to lie about, liar the broker that leads partition 0 of the input.
	input, measured [16]byte
	liar            int32
	planted         planted
	// requests counts those to the measured topic.
	requests int
}

// planted counts the records that were acknowledged and not stored, in acks1's topic and in the shared input.
type planted struct{ measured, input uint64 }

func newStage(t *testing.T, dishonest bool) *stage {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.GroupMinSessionTimeout(100*time.Millisecond))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	require.NoError(t, fakequorum.Answer(t.Context(), kafka, controllerNode))
	fakequorum.Followers(kafka, 0, 1, 2)
	s := &stage{t: t, kafka: kafka, dishonest: dishonest}
	kafka.ControlKey(int16(kmsg.Produce), s.produce)
	return s
}

// play does the run and returns its report, and its rows by pipeline.
func (s *stage) play() (*harness.Report, map[string]harness.Row) {
	s.t.Helper()
	exp := harness.Experiment{
		Name: "offline", Pipelines: []string{"acks1", "auto-commit"}, Workers: 1, Shared: harness.DefaultShared(),
		Load:    harness.Load{Rate: 500, Duration: 1500 * time.Millisecond, RecordSize: 100},
		Cluster: harness.ClusterNeeds{MinISR: 2, Partitions: partitions}, Bounds: harness.DefaultBounds(),
	}
	exp.Shared.AutoCommitInterval = 150 * time.Millisecond
	ctx, cancel := context.WithTimeout(s.t.Context(), runWithin)
	defer cancel()
	admin, err := harness.DirectClient(cluster{kafka: s.kafka}, "settled")
	require.NoError(s.t, err)
	defer admin.Close()
	out, err := harness.Run(ctx, harness.Rooms{
		Provider:    s,
		NewFleet:    s.newFleet,
		NewObserver: func(spec harness.ObserverSpec) (harness.Observer, error) { return observe.New(spec), nil },
		Infos:       workloads.Infos(),
		Settled: func(ctx context.Context, spec harness.ReadBackSpec) (bool, string, error) {
			return readback.Settled(ctx, ask.Of(admin, spec.Cluster.Info().Nodes...), spec.Plan)
		},
		Drained: func(ctx context.Context, spec harness.ReadBackSpec) (bool, string, error) {
			return readback.Drained(ctx, ask.Of(admin, spec.Cluster.Info().Nodes...), spec.Plan)
		},
		ReadBack: readback.Run,
		Judge:    verifiers.Judge,
		Terminal: s,
	}, harness.RunSpec{Experiment: exp, Seed: 1, Out: s.t.TempDir(), Command: []string{os.Args[0]}})
	require.NoError(s.t, err)
	require.False(s.t, out.Interrupted)
	require.Empty(s.t, out.Report.Inconclusive)
	rows := map[string]harness.Row{}
	for _, row := range out.Report.Rows {
		rows[row.Pipeline] = row
	}
	want := 2
	if s.dishonest {
		want++ // the source, whose promise is broken
	}
	require.Len(s.t, rows, want)
	return out.Report, rows
}

// newFleet makes the real fleet, and learns which topics there are to lie about.
func (s *stage) newFleet(spec harness.FleetSpec) (harness.Fleet, error) {
	acks1, err := spec.Plan.Pipeline("acks1")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.input, s.measured = s.kafka.TopicInfo(spec.Plan.Input).TopicID, s.kafka.TopicInfo(acks1.Output).TopicID
	s.liar = s.kafka.LeaderFor(spec.Plan.Input, 0)
	return workloads.NewFleet(spec)
}

// produce lies about every third request to acks1's topic, and from the load on about all that one broker should store
// in the input: the shared source is idempotent, and a broker that stored what comes after a gap would give itself away.
func (s *stage) produce(kreq kmsg.Request) (kmsg.Response, error, bool) { //nolint:revive // kfake asks for this order
	s.kafka.KeepControl()
	req := kreq.(*kmsg.ProduceRequest)
	if !s.lying.Load() || len(req.Topics) != 1 {
		return nil, nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch req.Topics[0].TopicID {
	case s.input:
		if s.kafka.CurrentNode() == s.liar {
			return acknowledge(req, &s.planted.input), nil, true
		}
	case s.measured:
		if s.requests++; s.requests%3 == 0 {
			return acknowledge(req, &s.planted.measured), nil, true
		}
	}
	return nil, nil, false
}

// acknowledge answers that everything was stored, far beyond what is, and counts the records.
func acknowledge(req *kmsg.ProduceRequest, n *uint64) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	for _, t := range req.Topics {
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic, topic.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			var batch kmsg.RecordBatch
			if err := batch.ReadFrom(p.Records); err != nil {
				panic(err)
			}
			answer := kmsg.NewProduceResponseTopicPartition()
			answer.Partition, answer.BaseOffset = p.Partition, 1_000_000+int64(*n)
			*n += uint64(batch.NumRecords)
			topic.Partitions = append(topic.Partitions, answer)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}
