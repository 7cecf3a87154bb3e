package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// bench is an app whose other rooms are fakes.
type bench struct {
	*app
	out, err bytes.Buffer
	signals  chan os.Signal
	quits    chan int
	requests []runRequest
	env      map[string]string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{signals: make(chan os.Signal, 2), quits: make(chan int, 1)}
	b.app = &app{
		stdin: strings.NewReader(""), stdout: &b.out, stderr: &b.err,
		getenv: func(name string) string { return b.env[name] },
		notify: func() (<-chan os.Signal, func()) { return b.signals, func() {} },
		quit:   func(code int) { b.quits <- code },
		parts: parts{
			version: "v0.1.0 (go1.26 linux/amd64)", self: []string{"chaeos"}, kafka: "4.3.1", providers: provider.All(),
			pipelines: []harness.PipelineInfo{
				{Name: "acks1", Claims: harness.AtLeastOnce, About: "a producer with acks=1", ProducerOnly: true},
				{Name: "idempotent", Claims: harness.AtLeastOnce, About: "produce idempotently, flush, commit"},
				{Name: "transactional", Claims: harness.ExactlyOnce, About: "a transaction for each batch"},
			},
			experiments: func() ([]harness.Experiment, error) { return fakeExperiments(), nil },
			open:        fakeOpen,
			concrete:    fakeConcrete,
			show:        func(e harness.Experiment, seed uint64) string { return fmt.Sprintf("%s, seed %d\n", e.Name, seed) },
			judge:       func(string) (*harness.Report, error) { return report("baseline", 3), nil },
			explain:     explainers{one: fakeLife, anomalies: fakeLives},
			page: func(w io.Writer, dir string) error {
				_, err := io.WriteString(w, "a page of "+filepath.Base(dir))
				return err
			},
			files: exports{
				evidence: func(string, *harness.Report) error { return nil }, export: func(string, string) error { return nil },
				jepsen: func(string, string) error { return nil },
			},
			facts:  func(context.Context) []provider.Fact { return healthy() },
			byHand: fakeByHand(),
			suites: suites{names: []string{"full", "smoke"}, find: func(name string) ([]string, int, error) {
				return []string{"baseline", "broker-kill"}, map[string]int{"full": 3, "smoke": 1}[name], nil
			}},
			triggers: [][]string{{"acked: N", "fires once N records were acknowledged"}, {"phase: NAME", "fires when a worker reaches a phase"}},
			keeper:   echo, worker: echo,
		},
	}
	b.parts.run = func(_ context.Context, r runRequest) (*harness.Outcome, error) {
		b.requests = append(b.requests, r)
		return &harness.Outcome{Dir: "runs/fake", Report: report(r.spec.Experiment.Name, exitExpected)}, nil
	}
	return b
}

func (b *bench) do(args ...string) int { return b.run(context.Background(), args) }

func echo(_ context.Context, in io.Reader, out io.Writer) error {
	_, err := io.Copy(out, in)
	return err
}

func fakeExperiments() []harness.Experiment {
	load := harness.Load{Rate: 500, Duration: 40 * time.Second, RecordSize: 100}
	both := []string{"idempotent", "transactional"}
	cluster := harness.ClusterNeeds{MinISR: 2, Partitions: 3}
	return []harness.Experiment{
		{Name: "baseline", Summary: "no fault", Pipelines: both, Load: load, Workers: 2, Shared: harness.DefaultShared(), Cluster: cluster,
			Source: "name: baseline\n"},
		{Name: "broker-kill", Summary: "a broker is killed", Pipelines: both, Load: load},
		{Name: "leader-partition", Summary: "the leader is cut off from its followers", Pipelines: both, Load: load},
	}
}

func fakeOpen(name string) (harness.Experiment, error) {
	switch name {
	case "some/own.yaml":
		return harness.Experiment{Name: "own", Pipelines: []string{"acks1"}, Load: harness.Load{Rate: 1, Duration: time.Second}}, nil
	case "broken.yaml":
		return harness.Experiment{}, errors.New("broken.yaml:3:5: unknown field \"pipeline\" (expected one of name, pipelines)")
	}
	for _, e := range fakeExperiments() {
		if e.Name == name {
			return e, nil
		}
	}
	return harness.Experiment{}, usage.Errorf("unknown experiment %q", name)
}

// fakeConcrete refuses what a flag made too short, as the catalogue does.
func fakeConcrete(e harness.Experiment, _ uint64) (harness.Experiment, error) {
	if e.Name == "broker-kill" && e.Load.Duration < 30*time.Second {
		return harness.Experiment{}, usage.Errorf("the broker-kill fault ends after the load")
	}
	return e, nil
}

func report(name string, exit int) *harness.Report {
	return &harness.Report{Experiment: name, Seed: 1, Provider: "local", Kafka: "4.3.1", Brokers: 3, MinISR: 2, Took: 90 * time.Second, Exit: exit,
		Why: "because", Rows: []harness.Row{{Pipeline: "idempotent", Claims: harness.AtLeastOnce, Delivered: "at-least-once"}}}
}

func fakeLife(_, record, pipeline string) (*harness.RecordLife, error) {
	return &harness.RecordLife{Run: "run", Experiment: "baseline", Ends: []harness.LifeEnd{{Pipeline: pipeline, State: "visible", Text: record}}}, nil
}

// fakeLives finds duplicates only.
func fakeLives(_ string, kinds []harness.AnomalyKind, most int, _ string) (all []*harness.RecordLife, err error) {
	for i := range most {
		if kinds[0] == harness.AnomalyDuplicate {
			all = append(all, &harness.RecordLife{Run: "run", Identity: history.Identity{Sequence: uint64(i)}})
		}
	}
	return all, nil
}
