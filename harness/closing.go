package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// drain stops the sources and gives the workers a bounded time to process what is left.
func (r *run) drain(ctx context.Context) (string, error) {
	stopping, cancel := uninterrupted(ctx)
	defer cancel()
	if err := r.fleet.StopSources(stopping); err != nil {
		return "", err
	}
	return "", r.until(ctx, r.rooms.Drained)
}

// uninterrupted keeps a context's deadline and drops its cancellation: a source that is being stopped must learn the outcome
// of what it sent, also when the run is interrupted meanwhile.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	after := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(after, deadline)
	}
	return context.WithCancel(after)
}

// stop ends and reaps every source and worker: a zombie or a delayed request may still append, so nothing may be read back
// before.
func (r *run) stop(ctx context.Context) (string, error) {
	err := errors.Join(r.fleet.StopSources(ctx), r.fleet.StopWorkers(ctx))
	for _, text := range r.fleet.Incidents() {
		r.incident(errors.New(text))
	}
	return "", err
}

// settle waits until no transaction is undecided, so that what is read back can't change. The observer watches to the end
// of it: a stall that outlasts the load is measured whole.
func (r *run) settle(ctx context.Context) (string, error) { return "", r.until(ctx, r.rooms.Settled) }

func (r *run) readBack(ctx context.Context) (string, error) {
	stopped := r.observer.Stop(ctx)
	return "", errors.Join(stopped, r.rooms.ReadBack(ctx, r.readBackSpec()))
}

// until waits for a condition. When time runs out, its error is what was still missing.
func (r *run) until(ctx context.Context, holds func(context.Context, ReadBackSpec) (bool, string, error)) error {
	missing := ""
	err := wait.Poll(ctx, pollEvery, func() (bool, error) {
		ok, why, err := holds(ctx, r.readBackSpec())
		if err != nil { // a broker that is still coming up is no reason to give up before the deadline
			why = err.Error()
		}
		missing = why
		r.rooms.Terminal.Live(why, 0, 0)
		return ok && err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %s", err, missing)
	}
	return nil
}

// verify completes the record, saves it, and judges the run from its folder.
func (r *run) verify(context.Context) (string, error) {
	if r.interrupted {
		r.incident(errors.New("the run was interrupted")) // in the record too: a later verify must not find it held
	}
	r.stopWatching()
	r.record.Took = history.Now().Sub(r.record.Base)
	r.record.Faults = r.schedule.records()
	r.record.Histories = append(r.record.Histories, r.fleet.Histories()...)
	r.record.Histories = append(r.record.Histories, r.observer.Histories()...)
	r.record.Digested = true
	saved := r.save()
	if saved == nil {
		saved = WriteDigest(r.dir)
	}
	r.incident(saved)
	r.out = &Outcome{Dir: r.dir, Interrupted: r.interrupted}
	report, err := r.rooms.Judge(r.dir)
	if saved != nil && report != nil {
		r.unsaved(report)
	}
	r.out.Report = report
	return "", err
}

// unsaved completes the report of a run whose record could not be written (disk full). It was judged by the record from
// before the load, which lists no histories: nothing was called held.
func (r *run) unsaved(report *Report) {
	report.Faults, report.LoadStart = r.record.Faults, int64(r.record.LoadStart)
	report.Inconclusive = append(report.Inconclusive, r.record.Incidents...)
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
