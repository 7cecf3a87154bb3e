package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/harness/wait"
)

// drain stops the sources and gives the workers a bounded time to work off what is left.
func (r *run) drain(ctx context.Context) (string, error) {
	stopping, cancel := uninterrupted(ctx)
	defer cancel()
	if err := r.fleet.StopSources(stopping); err != nil {
		return "", err
	}
	return "", r.until(ctx, r.rooms.Drained)
}

// uninterrupted keeps a context's deadline and drops its cancellation: a source that is being stopped must settle what it
// sent, also when the run is interrupted meanwhile.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	after := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(after, deadline)
	}
	return context.WithCancel(after)
}

// stop ends and reaps every source and worker, then the observer: a zombie or a released request may still append, so
// nothing may be captured before.
func (r *run) stop(ctx context.Context) (string, error) {
	err := errors.Join(r.fleet.StopSources(ctx), r.fleet.StopWorkers(ctx))
	for _, text := range r.fleet.Incidents() {
		r.incident(errors.New(text))
	}
	return "", err
}

// settle waits until nothing is undecided any more, so that what is read back can't change. The observer watches to the
// end of it: a stall that outlives the load is measured whole.
func (r *run) settle(ctx context.Context) (string, error) { return "", r.until(ctx, r.rooms.Settled) }

func (r *run) readBack(ctx context.Context) (string, error) {
	stopped := r.observer.Stop(ctx)
	return "", errors.Join(stopped, r.rooms.ReadBack(ctx, r.readBackSpec()))
}

// until waits for a condition and says, when time runs out, what it was still waiting for.
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
