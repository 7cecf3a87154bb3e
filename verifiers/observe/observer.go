package observe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// SamplesFile and LiveFile are the observer's histories, relative to the run's folder.
const (
	SamplesFile = "history/observer-samples.hist"
	LiveFile    = "history/observer-live.hist"
)

// Observer is a sampler and a live reader.
type Observer struct {
	spec    harness.ObserverSpec
	sampler *sampler
	live    *live

	cancel context.CancelFunc
	done   sync.WaitGroup
	failed atomic.Pointer[error]
}

var _ harness.Observer = (*Observer)(nil)

// New makes an observer of a run.
func New(spec harness.ObserverSpec) *Observer { return &Observer{spec: spec} }

// Start begins to sample and to read. The context bounds only the start; Stop ends both.
func (o *Observer) Start(ctx context.Context) (err error) {
	if err := os.MkdirAll(filepath.Join(o.spec.Dir, "history"), 0o755); err != nil {
		return fmt.Errorf("observer: %w", err)
	}
	if o.sampler, err = newSampler(ctx, o.spec, o.fail); err != nil {
		return fmt.Errorf("observer: %w", err)
	}
	if o.live, err = newLive(o.spec, o.fail); err != nil {
		return errors.Join(fmt.Errorf("observer: %w", err), o.sampler.close())
	}
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o.cancel = cancel
	o.done.Go(func() { o.sampler.run(runCtx) })
	o.done.Go(func() { o.live.run(runCtx) })
	o.done.Go(func() { o.live.watchEffects(runCtx) })
	return nil
}

func (o *Observer) fail(err error) {
	if err != nil {
		o.failed.CompareAndSwap(nil, &err)
	}
}

// Failed returns why the observer can no longer record, or nil.
func (o *Observer) Failed() error {
	if err := o.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Visible is the number of distinct inputs of a pipeline that were delivered live, in each of its output topics.
func (o *Observer) Visible(pipeline string) (n uint64) {
	if o.live == nil {
		return 0
	}
	if t := o.live.byPipeline[pipeline]; t != nil {
		for p := range int32(o.spec.Plan.Partitions) {
			n += t.visibleIn(p)
		}
	}
	return n
}

// VisibleIn is the same for one output partition.
func (o *Observer) VisibleIn(pipeline string, partition int32) uint64 {
	if o.live == nil {
		return 0
	}
	if t := o.live.byPipeline[pipeline]; t != nil {
		return t.visibleIn(partition)
	}
	return 0
}

// LargestLag is the largest distance of a last stable offset behind its high watermark in the pipeline's output.
func (o *Observer) LargestLag(pipeline string) int64 {
	layout, err := o.spec.Plan.Pipeline(pipeline)
	if err != nil || o.sampler == nil {
		return 0
	}
	lag := int64(0)
	for _, topic := range layout.Outputs() {
		lag = max(lag, o.sampler.largestLag(topic))
	}
	return lag
}

// Stop ends both and closes their files. It waits no longer than the context lasts.
func (o *Observer) Stop(ctx context.Context) error {
	if o.cancel == nil {
		return nil
	}
	o.cancel()
	ended := make(chan struct{})
	go func() { o.done.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
		return fmt.Errorf("observer: stop: %w", context.Cause(ctx))
	}
	o.cancel = nil
	return errors.Join(o.Failed(), o.sampler.close(), o.live.close())
}

// Histories lists the observer's files; their sizes are final once Stop has returned.
func (o *Observer) Histories() []harness.HistoryRecord {
	var all []harness.HistoryRecord
	for _, f := range []struct{ name, file string }{{"observer-live", LiveFile}, {"observer-samples", SamplesFile}} {
		rec := harness.HistoryRecord{File: f.file, Process: f.name, Role: "harness"}
		if info, err := os.Stat(filepath.Join(o.spec.Dir, f.file)); err == nil {
			rec.Bytes = info.Size()
		}
		all = append(all, rec)
	}
	return all
}

func create(spec harness.ObserverSpec, name, file string) (*history.Writer, error) {
	return history.Create(filepath.Join(spec.Dir, file), history.Process{
		Stamp: history.AtNow(), Run: spec.RunID, Name: name, Role: "harness", Pid: int64(os.Getpid()),
	})
}
