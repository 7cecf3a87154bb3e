// Package harness holds the vocabulary that every room shares, and Run: the phases of one experiment.
package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Rooms are the parts that a run is made of, each from the package that owns it.
type Rooms struct {
	Provider    Provider
	NewFleet    func(FleetSpec) (Fleet, error)
	NewObserver func(ObserverSpec) (Observer, error)
	// Infos are the pipelines there are.
	Infos []PipelineInfo
	// Settled says whether nothing is left undecided: LSO = high watermark everywhere, and stable offsets answer.
	Settled func(context.Context, ReadBackSpec) (settled bool, why string, err error)
	// Drained says whether the workers have committed past every input record.
	Drained  func(context.Context, ReadBackSpec) (drained bool, why string, err error)
	ReadBack func(context.Context, ReadBackSpec) error
	// Judge computes the report from a run's folder alone.
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
	// Out is the folder that the run's own folder is made in.
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
	// Interrupted says that the run was cancelled before its end: whatever the report shows, the run is inconclusive.
	Interrupted bool
	// Kept is the cluster that was left running, where that was asked for.
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
	defer func() { err = errors.Join(err, r.tearDown(ctx, out)) }()
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

	mu   sync.Mutex // guards record.Incidents and what follows, which watchers add to
	died bool       // a broker died unplanned: the cluster will not be whole again
	lost error      // the cluster is given up
	// silentSince is when what keeps the cluster began not to answer (zero: it answers).
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
	return &run{rooms: rooms, spec: spec, dir: dir, record: &RunRecord{
		Version: RecordVersion, Chaeos: spec.Chaeos, Name: name, RunID: history.RunIDOf(name),
		Experiment: exp.Name, Source: exp.Source, Overrides: spec.Overrides, KafkaHome: spec.KafkaHome, Seed: spec.Seed,
		Rate: exp.Load.Rate, Duration: exp.Load.Duration, Workers: exp.Workers, Shared: exp.Shared,
		Asked: exp.Cluster.Features, Properties: exp.Cluster.Properties,
		Started: started, Base: history.Now(), Expect: exp.Expect, Bounds: exp.Bounds,
		Machine: fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),

		LargestTransactionTimeout: exp.Shared.TransactionTimeout,
	}}, nil
}

// makeRunDir makes a folder that did not exist, with a number behind its name where two runs start in one second.
func makeRunDir(out, base string) (string, error) {
	for n := 1; n < 100; n++ {
		dir := filepath.Join(out, base)
		if n > 1 {
			dir += fmt.Sprintf(".%d", n)
		}
		err := os.MkdirAll(out, 0o755)
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		if err == nil {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return "", fmt.Errorf("run folder: %w", err)
			}
			return abs, os.Mkdir(filepath.Join(abs, "history"), 0o755)
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("run folder: %w (choose another place with --out)", err)
		}
	}
	return "", fmt.Errorf("run folder %s: a hundred runs of this second are there already", base)
}

// do goes through the phases. Until the warm phase an error ends the run; from there on everything that goes wrong is
// an incident, and what was recorded is read back and judged all the same.
func (r *run) do(ctx context.Context) (*Outcome, error) {
	for _, p := range r.settingUp() {
		if err := r.phase(ctx, p); err != nil {
			return nil, errors.Join(err, r.save())
		}
	}
	// What follows must not be cut short by an interrupt: it has deadlines of its own.
	after := context.WithoutCancel(ctx)
	stopWatching := r.watch(after)
	r.loaded(ctx)
	interrupted := r.closeDown(ctx)
	stopWatching()
	r.record.Took = history.Now().Sub(r.record.Base)
	r.record.Histories = append(r.record.Histories, r.fleet.Histories()...)
	r.record.Histories = append(r.record.Histories, r.observer.Histories()...)
	saved := r.save()
	r.incident(saved)
	report, err := r.judge(after)
	if saved != nil && report != nil {
		r.unsaved(report)
	}
	return &Outcome{Dir: r.dir, Report: report, Interrupted: interrupted}, err
}

// unsaved completes the report of a run whose record could not be written (disk full). It was judged by the record from
// before the load, which lists no histories: nothing was called held.
func (r *run) unsaved(report *Report) {
	report.Faults, report.LoadStart = r.record.Faults, int64(r.record.Zero())
	report.Inconclusive = append(report.Inconclusive, r.record.Incidents...)
}

func (r *run) settingUp() []phase {
	return []phase{
		{"cluster", 5 * time.Minute, r.startCluster},
		{"topics", time.Minute, r.makeTopics},
	}
}

// loaded does the phases that drive the pipelines; the first that fails ends them.
func (r *run) loaded(ctx context.Context) {
	load := r.spec.Experiment.Load.Duration
	for _, f := range r.spec.Experiment.Faults {
		load = max(load, f.Ends())
	}
	load += 2 * time.Minute // faults that wait for a phase may outlast the load
	for _, p := range []phase{{"warm", time.Minute, r.warm}, {"load", load, r.load}} {
		if err := r.phase(ctx, p); err != nil {
			r.incident(err)
			return
		}
	}
}

// interruptedReadBack bounds the read-back of a run that was interrupted.
const interruptedReadBack = 20 * time.Second

// closeDown does the phases after the load, and says whether the run was interrupted before or in them. Nobody who
// pressed Ctrl-C waits for workers to drain or transactions to time out: what is undecided shows as inconclusive.
func (r *run) closeDown(ctx context.Context) (interrupted bool) {
	after := context.WithoutCancel(ctx)
	if r.clusterLost() != nil {
		return r.abandon(after)
	}
	r.incident(r.phase(after, phase{"heal", 90 * time.Second, r.heal}))
	if ctx.Err() == nil {
		r.incident(r.phase(ctx, phase{"drain", 90 * time.Second, r.drain}))
	}
	r.incident(r.phase(after, phase{"stop", 45 * time.Second, r.stop}))
	if ctx.Err() == nil {
		r.incident(r.phase(ctx, phase{"settle", r.record.LargestTransactionTimeout + 20*time.Second, r.settle}))
	}
	back := phase{"read back", 3 * time.Minute, r.readBack}
	if ctx.Err() != nil {
		back.within = interruptedReadBack
	}
	r.incident(r.phase(after, back))
	if ctx.Err() != nil {
		r.incident(errors.New("the run was interrupted")) // in the record too: a later verify must not call it held
	}
	return ctx.Err() != nil
}

// abandonWithin bounds each phase after the cluster was lost.
const abandonWithin = 5 * time.Second

// abandon closes down what is left of a run whose cluster is lost: every process is ended, and nothing is waited for.
func (r *run) abandon(ctx context.Context) (interrupted bool) {
	r.record.Faults = r.schedule.records()
	r.incident(r.phase(ctx, phase{"stop", abandonWithin, r.stop}))
	r.incident(r.phase(ctx, phase{"read back", abandonWithin, r.readBack}))
	return false
}

func (r *run) judge(ctx context.Context) (*Report, error) {
	var report *Report
	err := r.phase(ctx, phase{"verify", 5 * time.Minute, func(context.Context) (string, error) {
		var err error
		report, err = r.rooms.Judge(r.dir)
		return "", err
	}})
	return report, err
}

func (r *run) save() error { return r.record.Save(r.dir) }

// incident records something unplanned. It makes the run inconclusive.
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

// tearDownWithin bounds the end of a run, whatever happened before.
const tearDownWithin = time.Minute

// tearDown ends every process and removes what the cluster left. The run's cancellation does not reach it.
func (r *run) tearDown(ctx context.Context, out *Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tearDownWithin)
	defer cancel()
	var errs []error
	if r.fleet != nil {
		errs = append(errs, r.fleet.Close(ctx))
	}
	if r.admin != nil {
		r.admin.Close()
	}
	if r.cluster == nil {
		return errors.Join(errs...)
	}
	if r.spec.Keep && out != nil {
		info := r.cluster.Info()
		out.Kept = &info
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, r.cluster.Close(ctx))...)
}
