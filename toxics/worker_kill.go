package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var workerKillKind = kit.Kind{
	Name:  "worker-kill",
	About: "kills a worker of every pipeline (SIGKILL), at a phase of its loop if one is named",
	Hits:  target.Workers,
	Options: []options.Info{
		{Name: "held", About: "how many unfinished records a worker must hold at its phase to be killed there; default 0"},
		{Name: "identity", About: "same, or new: the next incarnation has another transactional id and fences nothing; default same"},
		{Name: "phase", About: "the phase to kill at: one for all pipelines, or a mapping from pipeline to phase"},
		{Name: "restart", About: "heal (start new incarnations when the fault's time is over) or never; default heal"},
		{Name: "within", About: "how long the workers may take to reach their phases, 1s to 2m; default 20s"},
	},
	Make: newWorkerKill,
}

// workerKill kills the targeted worker of every pipeline at the same moment.
type workerKill struct{ kit.MemberKill }

// The values of the option "identity".
const (
	sameIdentity = "same"
	newIdentity  = "new"
)

var _ harness.Fault = workerKill{}

func newWorkerKill(r *options.Reader) harness.Fault {
	k := kit.ReadMemberKill(r)
	k.Held = uint64(r.Number("held", 0, 0, 1_000_000))
	k.Renamed = r.OneOf("identity", sameIdentity, newIdentity) == newIdentity
	return workerKill{k}
}

// Check returns an error for phases of pipelines that the experiment doesn't have, phases that a pipeline doesn't have, and a
// mapping that leaves a pipeline out.
func (w workerKill) Check(s harness.Scope, _ target.Target) error {
	if err := w.CheckPipelines(s); err != nil || len(w.Phases) == 0 {
		return err
	}
	for _, p := range s.Pipelines {
		if phase := w.PhaseOf(p.Name); !p.ProducerOnly && !slices.Contains(p.Phases, phase) {
			return &options.Error{Option: "phase", Reason: fmt.Sprintf("pipeline %s has no phase %q (one of %s)",
				p.Name, phase, strings.Join(p.Phases, ", "))}
		}
	}
	return nil
}

// Inject brings every targeted worker to its phase, and kills all of them at once.
func (w workerKill) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := target.FindWorkers(ctx, f, selector, target.Living)
	if err != nil {
		return nil, err
	}
	i := inject.New(f, target.ResolveWorkers(f, names))
	if err := w.AwaitPhases(ctx, i, names); err != nil {
		return i, err
	}
	i.InFlight = inject.InFlight(f) // of the kill, not of the arming
	killed := f.Fleet.Members()
	i.Hit = target.ResolveWorkers(f, names)
	if err := w.Kill(ctx, i, target.RoleWorker, names); err != nil {
		return i, err
	}
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return killProof(killed, names, l) }
	}
	i.Began(ctx, target.View{}, nil)
	return i, nil
}

// killProof quotes where a pipeline's worker was killed.
func killProof(killed []harness.Member, names []string, l harness.PipelineLayout) (string, bool) {
	for _, m := range killed {
		if m.Pipeline != l.Name || !slices.Contains(names, m.Name) {
			continue
		}
		if m.WaitingAt == "" {
			return fmt.Sprintf("killed %s, which owned %s", m.Name, target.PartitionList(target.Output, m.Partitions)), len(m.Partitions) > 0
		}
		return fmt.Sprintf("killed %s in phase %s with %d records held", m.Name, m.WaitingAt, m.Held), true
	}
	return inject.NotTouched("no worker of it was killed")
}
