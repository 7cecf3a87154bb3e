// Package harness holds the vocabulary that every room shares, and Run: the phases of one experiment.
package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// Rooms are the parts that a run is made of, each from the package that owns it.
type Rooms struct {
	Provider    Provider
	NewFleet    func(FleetSpec) (Fleet, error)
	NewObserver func(ObserverSpec) (Observer, error)
	// Infos are all pipelines.
	Infos []PipelineInfo
	// Settled reports whether nothing is undecided: LSO = high watermark everywhere, and stable offsets answer.
	Settled func(context.Context, ReadBackSpec) (settled bool, why string, err error)
	// Drained reports whether the workers have committed past every input record.
	Drained  func(context.Context, ReadBackSpec) (drained bool, why string, err error)
	ReadBack func(context.Context, ReadBackSpec) error
	// Judge makes the report from a run's folder alone.
	Judge    func(dir string) (*Report, error)
	Terminal Terminal
}

// RunSpec is one run to do.
type RunSpec struct {
	// Experiment is concrete: every range has been drawn from the seed.
	Experiment Experiment
	Seed       uint64
	Kafka      string
	KafkaHome  string
	// Out is the folder in which the run makes its own.
	Out string
	// Keep leaves the cluster running after the run.
	Keep bool
	// Overrides are the flags that changed the experiment, for the record.
	Overrides map[string]string
	// Command is how to run this program again, for workers and sources.
	Command []string
	// Chaeos is this program's version.
	Chaeos string
}

// Outcome is what a run came to.
type Outcome struct {
	Dir    string
	Report *Report
	// Interrupted reports whether the run was cancelled before its end: then it is inconclusive, whatever the report shows.
	Interrupted bool
	// Kept is the cluster that was left running, if that was asked for.
	Kept *ClusterInfo
}

// Run does one experiment: cluster up, load, faults, heal, read back, verdict, cluster down. An error means that the
// infrastructure failed; everything a pipeline did wrong is in the report. When ctx is cancelled, the run heals, tears
// down and reports what there is.
func Run(ctx context.Context, rooms Rooms, spec RunSpec) (out *Outcome, err error) {
	defer rooms.Terminal.Close()
	if err := preflight(rooms, spec); err != nil {
		return nil, err
	}
	r, err := newRun(rooms, spec)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.tearDown(ctx, out)) }() // whatever happens in the phases
	return r.do(ctx)
}

// run is the state of one experiment under way.
type run struct {
	rooms    Rooms
	spec     RunSpec
	dir      string
	record   *RunRecord
	cluster  Cluster
	admin    *kgo.Client
	fleet    Fleet
	observer Observer
	field    *Field
	schedule *schedule
	// out is what the run came to, once its record is whole.
	out *Outcome
	// loadEnded reports whether warm or load failed, givenUp whether the cluster was lost by the end of the phase before.
	loadEnded, givenUp bool
	// interrupted reports whether the run was cancelled before the phase that it is in.
	interrupted bool
	// stopWatching ends the watch over the brokers; warm begins it.
	stopWatching func()

	mu   sync.Mutex // guards record.Incidents and what follows, which watchers add to
	died bool       // a broker died unplanned: the cluster will not be whole again
	// lost is closed once the cluster is given up; giveUp closes it.
	lost   <-chan struct{}
	giveUp func()
	// silentSince is when what keeps the cluster stopped answering (zero: it answers).
	silentSince time.Time
}

func newRun(rooms Rooms, spec RunSpec) (*run, error) {
	started := time.Now()
	base := fmt.Sprintf("%s-%s-%d", started.UTC().Format("20060102T150405"), spec.Experiment.Name, spec.Seed)
	dir, err := makeRunDir(spec.Out, base)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(dir)
	exp := spec.Experiment
	lost := make(chan struct{})
	giveUp := sync.OnceFunc(func() { close(lost) })
	return &run{lost: lost, giveUp: giveUp, rooms: rooms, spec: spec, dir: dir, stopWatching: func() {}, record: &RunRecord{
		Version: RecordVersion, Chaeos: spec.Chaeos, Name: name, RunID: history.RunIDOf(name),
		Experiment: exp.Name, Source: exp.Source, Overrides: spec.Overrides, KafkaHome: spec.KafkaHome, Seed: spec.Seed,
		Rate: exp.Load.Rate, Duration: exp.Load.Duration, Workers: exp.Workers, Shared: exp.Shared,
		Asked: exp.Cluster.Features, Properties: exp.Cluster.Properties,
		Started: started, Base: history.Now(), Expect: exp.Expect, Limits: exp.Limits, Bounds: exp.Bounds,
		Machine: fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version()),

		LargestTransactionTimeout: largestTransactionTimeout(rooms.Infos, exp),
	}}, nil
}

func (r *run) save() error { return r.record.Save(r.dir) }

// incident records an error after which the run can only be inconclusive.
func (r *run) incident(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Incidents = append(r.record.Incidents, err.Error())
	r.rooms.Terminal.Note(err.Error())
}

func (r *run) readBackSpec() ReadBackSpec {
	return ReadBackSpec{Dir: r.dir, RunID: r.record.RunID, Cluster: r.cluster, Plan: r.record.Plan}
}
