package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var workerKillKind = Kind{
	Name:  "worker-kill",
	About: "ends a worker of every pipeline at once (SIGKILL), at a phase of its loop where one is named",
	Hits:  Workers,
	Options: []options.Info{
		{Name: "held", About: "how many unfinished records a worker must hold at its phase to be killed there; 0 unless given"},
		{Name: "identity", About: "same, or new: whoever comes back has another transactional id, and fences nobody; same unless given"},
		{Name: "phase", About: "the phase to kill at: one for all pipelines, or a mapping from pipeline to phase"},
		{Name: "restart", About: "heal (start new incarnations when the fault's time is over) or never; heal unless given"},
		{Name: "within", About: "how long the workers may take to reach their phases, 1s to 2m; 20s unless given"},
	},
	make: newWorkerKill,
}

// workerKill kills the targeted worker of every pipeline at the same moment.
type workerKill struct{ memberKill }

// The identities that a worker can come back with.
const (
	sameIdentity = "same"
	newIdentity  = "new"
)

var _ harness.Fault = workerKill{}

func newWorkerKill(r *options.Reader) harness.Fault {
	k := readMemberKill(r)
	k.held = uint64(r.Number("held", 0, 0, 1_000_000))
	k.renamed = r.OneOf("identity", sameIdentity, newIdentity) == newIdentity
	return workerKill{k}
}

// check refuses phases of pipelines that there are not, phases that a pipeline hasn't, and a mapping that forgets one.
func (w workerKill) check(s harness.Scope, _ Target) error {
	if err := w.checkPipelines(s); err != nil || len(w.phases) == 0 {
		return err
	}
	for _, p := range s.Pipelines {
		if phase := w.phaseOf(p.Name); !p.ProducerOnly && !slices.Contains(p.Phases, phase) {
			return &options.Error{Option: "phase", Reason: fmt.Sprintf("pipeline %s has no phase %q (one of %s)",
				p.Name, phase, strings.Join(p.Phases, ", "))}
		}
	}
	return nil
}

// Inject brings every targeted worker to its phase, and kills all of them at once.
func (w workerKill) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := findTargetWorkers(ctx, f, selector, living)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, workersResolved(f, names))
	if err := w.awaitPhases(ctx, i, names); err != nil {
		return i, err
	}
	i.inFlight = inFlight(f) // of the kill, not of the arming
	killed := f.Fleet.Members()
	i.resolved = workersResolved(f, names)
	if err := w.kill(ctx, i, roleWorker, names); err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return killProof(killed, names, l) }
	}
	i.began(ctx, view{}, nil)
	return i, nil
}

// killProof quotes where a pipeline's worker was killed.
func killProof(killed []harness.Member, names []string, l harness.PipelineLayout) (string, bool) {
	for _, m := range killed {
		if m.Pipeline != l.Name || !slices.Contains(names, m.Name) {
			continue
		}
		if m.WaitingAt == "" {
			return fmt.Sprintf("killed %s, which held %s", m.Name, partitions(outputs, m.Partitions)), len(m.Partitions) > 0
		}
		return fmt.Sprintf("killed %s in phase %s with %d records held", m.Name, m.WaitingAt, m.Held), true
	}
	return notTouched("no worker of it was killed")
}
