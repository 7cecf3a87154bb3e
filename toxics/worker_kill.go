package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
)

var workerKillKind = Kind{
	Name:  "worker-kill",
	About: "ends a worker of every pipeline at once (SIGKILL), at a phase of its loop where one is named",
	Hits:  Workers,
	Options: []OptionInfo{
		{"held", "how many unfinished records a worker must hold at its phase to be killed there; 0 unless given"},
		{"identity", "same, or new: whoever comes back has another transactional id, and fences nobody; same unless given"},
		{"phase", "the phase to kill at: one for all pipelines, or a mapping from pipeline to phase"},
		{"restart", "heal (start new incarnations when the fault's time is over) or never; heal unless given"},
		{"within", "how long the workers may take to reach their phases, 1s to 2m; 20s unless given"},
	},
	make: newWorkerKill,
}

const (
	restartAtHeal = "heal"
	restartNever  = "never"
)

// workerKill kills the targeted worker of every pipeline at the same moment.
type workerKill struct {
	phases  map[string]string
	held    uint64
	restart string
	// renamed says that the next incarnation has another transactional id.
	renamed bool
	within  time.Duration
}

// The identities that a worker can come back with.
const (
	sameIdentity = "same"
	newIdentity  = "new"
)

var _ harness.Fault = workerKill{}

func newWorkerKill(r *reader) harness.Fault {
	return workerKill{
		phases:  r.perPipeline("phase"),
		held:    uint64(r.Number("held", 0, 0, 1_000_000)),
		restart: r.OneOf("restart", restartAtHeal, restartNever),
		renamed: r.OneOf("identity", sameIdentity, newIdentity) == newIdentity,
		within:  r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}
}

func (workerKill) Needs() []string { return nil }

func (w workerKill) String() string {
	var parts []string
	for _, pipeline := range slices.Sorted(maps.Keys(w.phases)) {
		if pipeline == everyPipeline {
			parts = append(parts, "at phase "+w.phases[pipeline])
		} else {
			parts = append(parts, fmt.Sprintf("%s at %s", pipeline, w.phases[pipeline]))
		}
	}
	if w.held > 1 {
		parts = append(parts, fmt.Sprintf("with %d records held or more", w.held))
	}
	if w.restart == restartNever {
		parts = append(parts, "never restarted")
	}
	if w.renamed {
		parts = append(parts, "restarted with a new identity")
	}
	return strings.Join(parts, ", ")
}

// phaseOf is the phase to kill a pipeline's worker at, "" for any moment.
func (w workerKill) phaseOf(pipeline string) string {
	if phase, ok := w.phases[pipeline]; ok {
		return phase
	}
	return w.phases[everyPipeline]
}

// check refuses phases of pipelines that there are not, phases that a pipeline hasn't, and a mapping that forgets one.
func (w workerKill) check(s Scope, _ Target) error {
	for _, pipeline := range slices.Sorted(maps.Keys(w.phases)) {
		if pipeline != everyPipeline && !s.has(pipeline) {
			return &OptionError{Option: "phase", Reason: fmt.Sprintf("the experiment has no pipeline %q", pipeline)}
		}
	}
	for _, p := range s.Pipelines {
		phase := w.phaseOf(p.Name)
		if len(w.phases) > 0 && !p.ProducerOnly && !slices.Contains(p.Phases, phase) {
			return &OptionError{Option: "phase", Reason: fmt.Sprintf("pipeline %s has no phase %q (one of %s)",
				p.Name, phase, strings.Join(p.Phases, ", "))}
		}
	}
	return nil
}

// Inject brings every targeted worker to its phase, and kills all of them at once.
func (w workerKill) Inject(ctx context.Context, f *harness.Field, target string) (harness.Injection, error) {
	names, err := findTargetWorkers(ctx, f, target, living)
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
	if err := w.strike(ctx, i, roleWorker, names); err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return killProof(killed, names, l) }
	}
	i.began(ctx, view{}, nil)
	return i, nil
}

// strike kills members. Who is to come back as another is renamed at once: whichever fault's heal revives it.
func (w workerKill) strike(ctx context.Context, i *injection, what string, names []string) error {
	return memberFault{
		what: what, from: living, wants: harness.MemberDead, forGood: w.restart == restartNever, heal: reviveUnless(w.restart),
		hit: func(ctx context.Context, f *harness.Field, name string) error {
			if err := f.Fleet.Kill(ctx, name); err != nil || !w.renamed {
				return err
			}
			return f.Fleet.Rename(name)
		},
	}.strike(ctx, i, names)
}

// reviveUnless is the heal of members that were ended: none where they are never restarted.
func reviveUnless(restart string) func(context.Context, *harness.Field, string) error {
	if restart == restartNever {
		return func(context.Context, *harness.Field, string) error { return nil }
	}
	return reviveMember
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
