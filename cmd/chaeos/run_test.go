package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/harness"
)

func TestRunPassesItsFlagsOn(t *testing.T) {
	b := newBench(t)
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, "libs"), 0o755))
	require.Zero(t, b.do("run", "baseline", "some/own.yaml", "--seed", "9", "--rate", "12.5", "--duration", "1m", "--pipelines", "transactional,acks1",
		"--kafka-home", home, "--out", "there"))
	require.Len(t, b.requests, 2)
	require.Equal(t, "own", b.requests[1].spec.Experiment.Name)
	got := b.requests[0]
	require.Equal(t, provider.Request{Provider: provider.Auto, KafkaHome: home}, got.cluster)
	require.Equal(t, harness.RunSpec{
		Experiment: got.spec.Experiment, Seed: 9, Kafka: "4.3.1", KafkaHome: home, Out: "there", Command: []string{"chaeos"},
		Overrides: map[string]string{"rate": "12.5", "duration": "1m0s", "pipelines": "transactional,acks1"},
		Chaeos:    "v0.1.0 (go1.26 linux/amd64)",
	}, got.spec)
	require.Equal(t, []string{"transactional", "acks1"}, got.spec.Experiment.Pipelines)
	require.InDelta(t, 12.5, got.spec.Experiment.Load.Rate, 0)
	require.Equal(t, time.Minute, got.spec.Experiment.Load.Duration)
}

func TestRunKeepsTheExperimentsOwnValues(t *testing.T) {
	b := newBench(t)
	require.Zero(t, b.do("run", "baseline"))
	require.Empty(t, b.requests[0].spec.Overrides)
	require.Equal(t, fakeExperiments()[0], b.requests[0].spec.Experiment)
}

func TestRunTopologyFlags(t *testing.T) {
	b := newBench(t)
	require.Zero(t, b.do("run", "baseline", "--brokers", "5", "--controllers", "3", "--racks", "a,b", "--feature", "transaction.version=1",
		"--feature", "eligible.leader.replicas.version=0", "--property", "replica.lag.time.max.ms=10000", "--property", "x=a=b",
		"--kafka", "4.2.0", "--min-isr", "1"))
	spec := b.requests[0].spec
	require.Equal(t, "4.2.0", spec.Kafka)
	require.Equal(t, harness.ClusterNeeds{
		Topology:   harness.Topology{Brokers: 5, Controllers: 3, Racks: []string{"a", "b"}},
		Features:   []harness.Feature{{Name: "transaction.version", Level: 1}, {Name: "eligible.leader.replicas.version", Level: 0}},
		Properties: map[string]string{"replica.lag.time.max.ms": "10000", "x": "a=b"},
		MinISR:     1, Partitions: 3,
	}, spec.Experiment.Cluster)
	require.Equal(t, map[string]string{
		"brokers": "5", "controllers": "3", "racks": "a,b", "kafka": "4.2.0", "min-isr": "1",
		"feature":  "transaction.version=1,eligible.leader.replicas.version=0",
		"property": "replica.lag.time.max.ms=10000,x=a=b",
	}, spec.Overrides)
}

func TestFlagsWinOverTheExperimentsCluster(t *testing.T) {
	own := harness.ClusterNeeds{Kafka: "4.0.0", Features: []harness.Feature{{Name: "transaction.version", Level: 2}},
		Properties: map[string]string{"a": "1", "b": "2"}}
	open := func(t *testing.T) *bench {
		b := newBench(t)
		b.parts.open = func(string) (harness.Experiment, error) {
			e := fakeExperiments()[0]
			e.Cluster = own
			return e, nil
		}
		return b
	}
	b := open(t)
	require.Zero(t, b.do("run", "baseline"))
	require.Equal(t, "4.0.0", b.requests[0].spec.Kafka)
	require.Equal(t, own, b.requests[0].spec.Experiment.Cluster)
	b = open(t)
	require.Zero(t, b.do("run", "baseline", "--kafka", "4.2.0", "--feature", "transaction.version=1", "--property", "b=3"))
	require.Equal(t, "4.2.0", b.requests[0].spec.Kafka)
	got := b.requests[0].spec.Experiment.Cluster
	require.Equal(t, []harness.Feature{{Name: "transaction.version", Level: 1}}, got.Features)
	require.Equal(t, map[string]string{"a": "1", "b": "3"}, got.Properties)
	require.Equal(t, "2", own.Properties["b"], "the experiment is left alone")
}

// TestRunsTogether gives every experiment an outcome of its own and looks at the exit code of all.
func TestRunsTogether(t *testing.T) {
	for _, c := range []struct {
		name   string
		exits  []int // 1: the run fails
		code   int
		ranAll bool
	}{
		{"expected", []int{0, 0}, 0, true},
		{"violated before inconclusive", []int{4, 3}, 3, true},
		{"infrastructure before violated", []int{3, 1}, 1, true},
		{"a failed run does not stop the next", []int{1, 0}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			ran := 0
			b.parts.run = func(_ context.Context, r runRequest) (*harness.Outcome, error) {
				exit := c.exits[ran]
				ran++
				if exit == exitInfrastructure {
					return nil, errors.New("broker 2 ended")
				}
				return &harness.Outcome{Report: report(r.spec.Experiment.Name, exit)}, nil
			}
			require.Equal(t, c.code, b.do("run", "baseline", "broker-kill"))
			require.Equal(t, 2, ran)
			require.Contains(t, b.err.String(), "2 of 2 experiments run; baseline: exit ")
		})
	}
}

func TestFailedRunSaysWhatItKept(t *testing.T) {
	b := newBench(t)
	b.parts.run = func(context.Context, runRequest) (*harness.Outcome, error) {
		return &harness.Outcome{Dir: "runs/x", Report: report("baseline", 0)}, errors.New("tear down: broker 1 does not end")
	}
	require.Equal(t, exitInfrastructure, b.do("run", "baseline"))
	require.Contains(t, b.out.String(), "idempotent", "what there is is shown")
	require.Contains(t, b.err.String(), "chaeos: tear down: broker 1 does not end\nwhat was recorded is in runs/x\n")
}

func TestRunUsageErrorOfTheHarness(t *testing.T) {
	b := newBench(t)
	b.parts.run = func(context.Context, runRequest) (*harness.Outcome, error) {
		return nil, harness.UsageError{Reason: "the fault lasts longer than the load"}
	}
	require.Equal(t, exitUsage, b.do("run", "baseline"))
	require.Equal(t, "chaeos: the fault lasts longer than the load\n", b.err.String())
}

func TestKeptClusterIsNamed(t *testing.T) {
	b := newBench(t)
	b.parts.run = func(_ context.Context, r runRequest) (*harness.Outcome, error) {
		require.True(t, r.spec.Keep)
		return &harness.Outcome{Report: report("baseline", 0), Kept: &harness.ClusterInfo{Bootstrap: []string{"127.0.0.1:1", "127.0.0.1:2"}}}, nil
	}
	require.Zero(t, b.do("run", "baseline", "--keep"))
	require.Contains(t, b.err.String(), "bootstrap 127.0.0.1:1,127.0.0.1:2; end it with: chaeos cluster down")
}

func TestJSONIsAStreamOfDocuments(t *testing.T) {
	b := newBench(t)
	require.Zero(t, b.do("run", "baseline", "broker-kill", "--json"))
	dec := json.NewDecoder(&b.out)
	for _, name := range []string{"baseline", "broker-kill"} {
		var r harness.Report
		require.NoError(t, dec.Decode(&r))
		require.Equal(t, name, r.Experiment)
	}
	require.ErrorIs(t, dec.Decode(&struct{}{}), io.EOF)
}

func TestFirstInterruptReportsWhatThereIs(t *testing.T) {
	b := newBench(t)
	b.parts.run = func(ctx context.Context, r runRequest) (*harness.Outcome, error) {
		b.requests = append(b.requests, r)
		b.signals <- syscall.SIGINT
		<-ctx.Done()
		return &harness.Outcome{Dir: "runs/x", Report: report("baseline", exitViolated), Interrupted: true}, nil
	}
	require.Equal(t, exitInconclusive, b.do("run", "baseline", "broker-kill"))
	require.Len(t, b.requests, 1, "no run after an interrupt")
	require.Contains(t, b.out.String(), "exit 4: the run was interrupted")
	require.Contains(t, b.err.String(), "interrupted: healing and tearing down")
	require.Contains(t, b.err.String(), "1 of 2 experiments run")
	require.Empty(t, b.quits)
}

func TestInterruptBeforeTheLoad(t *testing.T) {
	b := newBench(t)
	b.parts.run = func(ctx context.Context, _ runRequest) (*harness.Outcome, error) {
		b.signals <- syscall.SIGTERM
		<-ctx.Done()
		return nil, errors.New("cluster: context canceled")
	}
	require.Equal(t, exitInconclusive, b.do("run", "baseline"))
	require.Contains(t, b.err.String(), "chaeos: interrupted: cluster: context canceled")
	require.Empty(t, b.out.String())
}

func TestSecondInterruptLeavesAtOnce(t *testing.T) {
	b := newBench(t)
	left := make(chan struct{})
	b.quit = func(code int) {
		b.quits <- code
		close(left)
	}
	b.parts.run = func(ctx context.Context, _ runRequest) (*harness.Outcome, error) {
		b.signals <- syscall.SIGINT
		b.signals <- syscall.SIGINT
		<-left // a teardown that hangs
		return nil, context.Cause(ctx)
	}
	require.Equal(t, exitInconclusive, b.do("run", "baseline"))
	require.Equal(t, exitInconclusive, <-b.quits)
}

func TestChildEndsAtASignal(t *testing.T) {
	b := newBench(t)
	b.parts.keeper = func(ctx context.Context, _ io.Reader, _ io.Writer) error {
		b.signals <- syscall.SIGTERM
		<-ctx.Done()
		return nil
	}
	require.Zero(t, b.do("keeper"))
}

func TestVerify(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a run")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, harness.RecordFile), []byte("{}"), 0o644))
	b := newBench(t)
	require.Equal(t, exitViolated, b.do("verify", dir))
	require.True(t, strings.HasSuffix(b.out.String(), "again   chaeos verify '"+dir+"'\n"), b.out.String())
	require.Empty(t, b.err.String())

	b = newBench(t)
	require.Equal(t, exitViolated, b.do("verify", dir, "--json"))
	require.True(t, json.Valid(b.out.Bytes()))

	b = newBench(t)
	b.parts.judge = func(string) (*harness.Report, error) { return nil, errors.New("history/x: permission denied") }
	require.Equal(t, exitInfrastructure, b.do("verify", dir))
	require.Equal(t, "chaeos: history/x: permission denied\n", b.err.String())
}

func TestNear(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, filepath.Join("runs", "x"), near(filepath.Join(here, "runs", "x")))
	require.Equal(t, "/elsewhere/x", near("/elsewhere/x"))
	require.Equal(t, "runs/x", near("runs/x"))
}
