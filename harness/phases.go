package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// phases are what a run does, in order, and how long each may take: usually, after an interrupt, and after the cluster was
// lost. An interrupt also ends the phases that are left out after one; it does not reach the others.
func (r *run) phases() []phase {
	load := r.lastsUntil() + 2*time.Minute // a fault that waits for a worker may outlast the load
	settle := r.record.LargestTransactionTimeout + 20*time.Second
	return []phase{
		// preflight comes first, in Run: a contradiction is a usage error, and nothing has begun.
		{"cluster", may{5 * time.Minute, leftOut, leftOut}, endsRun, r.startCluster},
		{"topics", may{time.Minute, leftOut, leftOut}, endsRun, r.makeTopics},
		{"warm", may{time.Minute, leftOut, leftOut}, endsLoad, r.warm},
		{"load", may{load, leftOut, leftOut}, endsLoad, r.load},
		{"heal", may{90 * time.Second, 90 * time.Second, leftOut}, isIncident, r.heal},
		{drainPhase, may{90 * time.Second, leftOut, leftOut}, isIncident, r.drain},
		{"stop", may{45 * time.Second, 45 * time.Second, 5 * time.Second}, isIncident, r.stop},
		{"settle", may{settle, leftOut, leftOut}, isIncident, r.settle},
		{"read back", may{3 * time.Minute, 20 * time.Second, 5 * time.Second}, isIncident, r.readBack},
		{"verify", may{5 * time.Minute, 5 * time.Minute, 5 * time.Minute}, endsRun, r.verify},
		// teardown comes last, deferred by Run: within tearDownWithin, whatever happened before.
	}
}

const drainPhase = "drain"

// phase is one part of a run. What it does returns a few words for the record.
type phase struct {
	name  string
	may   may
	fails failure
	do    func(context.Context) (note string, err error)
}

// may is how long a phase may take.
type may struct{ usually, interrupted, lost time.Duration }

// leftOut is the time of a phase that is skipped. Ctrl-C doesn't wait for workers to drain or for transactions to time out:
// what is undecided is inconclusive. On a lost cluster there is nothing to wait for.
const leftOut time.Duration = 0

// failure is what an error in a phase does.
type failure int

const (
	// endsRun makes it the run's error: there is nothing to judge, or no verdict.
	endsRun failure = iota
	// endsLoad records an incident and goes on with heal.
	endsLoad
	// isIncident records an incident and goes on with the next phase.
	isIncident
)

// do goes through the phases. The outcome is nil if the run ended before there was anything to judge.
func (r *run) do(ctx context.Context) (*Outcome, error) {
	for _, p := range r.phases() {
		r.interrupted = ctx.Err() != nil && !r.givenUp
		if err := r.play(ctx, p); err != nil {
			if r.out == nil {
				err = errors.Join(err, r.save())
			}
			return r.out, err
		}
	}
	return r.out, nil
}

// play does one phase in the time that it has now, and treats its error as its line in the list says.
func (r *run) play(ctx context.Context, p phase) error {
	within := p.may.now(r)
	switch {
	case within == leftOut && p.fails == endsRun:
		return context.Cause(ctx)
	case within == leftOut, p.fails == endsLoad && r.loadEnded, p.name == drainPhase && r.record.LoadStart == 0:
		return nil // a load that never began has nothing to drain
	case p.may.interrupted != leftOut:
		ctx = context.WithoutCancel(ctx)
	}
	err := r.phase(ctx, p, within)
	r.givenUp = r.clusterLost() != nil
	switch p.fails {
	case endsRun:
		return err
	case endsLoad:
		r.loadEnded = err != nil
	}
	r.incident(err)
	return nil
}

// endWhenLost ends a phase when the cluster is given up.
func (r *run) endWhenLost(ctx context.Context, end context.CancelCauseFunc) {
	select {
	case <-r.lost:
		end(errClusterLost)
	case <-ctx.Done():
	}
}

// needsCluster reports whether there is nothing to wait for in the phase once the cluster is lost.
func (m may) needsCluster() bool { return m.lost < m.usually }

func (m may) now(r *run) time.Duration {
	switch {
	case r.givenUp:
		return m.lost
	case r.interrupted:
		return m.interrupted
	default:
		return m.usually
	}
}

var errPhaseTooLong = errors.New("took too long")

// phase does one phase and records when it began and ended, and how.
func (r *run) phase(ctx context.Context, p phase, within time.Duration) error {
	r.rooms.Terminal.Phase(p.name, "")
	ctx, cancel := context.WithTimeoutCause(ctx, within, errPhaseTooLong)
	defer cancel()
	if p.may.needsCluster() && !r.givenUp {
		var end context.CancelCauseFunc
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
		go r.endWhenLost(ctx, end)
	}
	rec := PhaseRecord{Name: p.name, Start: history.Now()}
	note, err := p.do(ctx)
	rec.End, rec.Note = history.Now(), note
	if note != "" {
		r.rooms.Terminal.Note(note)
	}
	switch cause := context.Cause(ctx); {
	case err == nil:
	case errors.Is(cause, errPhaseTooLong):
		err = fmt.Errorf("not done within %s: %w", within, err)
	case errors.Is(cause, errClusterLost) && !errors.Is(err, errClusterLost):
		err = fmt.Errorf("%w: %w", errClusterLost, err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
		rec.Error = err.Error()
	}
	r.record.Phases = append(r.record.Phases, rec)
	return err
}
