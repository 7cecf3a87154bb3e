package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
)

// lastsUntil is when the load and every fault have ended, from the start of the load.
func (r *run) lastsUntil() time.Duration {
	until := r.spec.Experiment.Load.Duration
	for _, f := range r.spec.Experiment.Faults {
		until = max(until, f.Ends())
	}
	return until
}

// load lets the sources send for the experiment's duration while the schedule plays.
func (r *run) load(ctx context.Context) (string, error) {
	r.record.LoadStart = history.Now()
	whole := r.spec.Experiment.Load.Duration
	playing, stop := context.WithCancel(ctx)
	defer stop()
	var pace pace
	return "", together.All(
		func() error {
			err := wait.Poll(ctx, pollEvery, func() (bool, error) {
				done := history.Now().Sub(r.record.LoadStart)
				r.rooms.Terminal.Live(r.progress(&pace), min(done, whole), whole)
				return done >= whole, r.broken()
			})
			if err != nil {
				stop() // a run that can't go on does not wait for its schedule
			}
			return err
		},
		func() error { return r.schedule.play(playing, r.record.LoadStart) },
	)
}

// broken returns why the run can't go on, or nil: what is not recorded can't be judged.
func (r *run) broken() error { return errors.Join(r.observer.Failed(), r.clusterLost()) }

// heal undoes every fault and waits until the cluster is whole again.
func (r *run) heal(ctx context.Context) (string, error) {
	err := r.schedule.healAll(ctx)
	begin := time.Now()
	if whole := r.awaitInSync(ctx); whole != nil {
		return "", errors.Join(err, whole)
	}
	return fmt.Sprintf("every replica in sync after %.1fs", time.Since(begin).Seconds()), err
}
