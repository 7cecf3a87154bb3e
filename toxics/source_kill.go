package toxics

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var sourceKillKind = kit.Kind{
	Name:  "source-kill",
	About: "kills producers under test (SIGKILL), at a phase of their loop if one is named",
	Hits:  target.Sources,
	Options: []options.Info{
		{Name: "phase", About: "the phase to kill at: one for all pipelines, or a mapping from pipeline to phase"},
		{Name: "restart", About: "heal (start new incarnations when the fault's time is over) or never; default heal"},
		{Name: "within", About: "how long the producers may take to reach their phases, 1s to 2m; default 20s"},
	},
	Make: func(r *options.Reader) harness.Fault { return sourceKill{kit.ReadMemberKill(r)} },
}

// sourceKill is worker-kill for the sources of producer-only pipelines.
type sourceKill struct{ kit.MemberKill }

var _ harness.Fault = sourceKill{}

// Check returns an error for phases of pipelines that the experiment doesn't have, and phases that a producer doesn't have.
func (s sourceKill) Check(scope harness.Scope, t target.Target) error {
	for _, p := range scope.Pipelines {
		if phase := s.PhaseOf(p.Name); p.ProducerOnly && t.Means(p.Name) && phase != "" && !slices.Contains(p.Phases, phase) {
			return &options.Error{Option: "phase", Reason: fmt.Sprintf("pipeline %s has no phase %q", p.Name, phase)}
		}
	}
	return s.CheckPipelines(scope)
}

// Inject brings every targeted source to its phase, and kills all of them at once. Records that a source has sent since it last
// saved its place count as in flight.
func (s sourceKill) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, err := target.Parse(selector)
	if err != nil {
		return nil, err
	}
	names, err := target.FindSources(f.Fleet.Members(), t)
	if err != nil {
		return nil, err
	}
	i := inject.New(f, target.ResolveWorkers(f, names))
	if err := s.AwaitPhases(ctx, i, names); err != nil {
		return i, err
	}
	killed := f.Fleet.Members()
	i.InFlight = inject.InFlight(f)
	for _, m := range killed {
		if slices.Contains(names, m.Name) {
			i.InFlight[m.Pipeline] = max(i.InFlight[m.Pipeline], m.Held)
		}
	}
	if err := s.Kill(ctx, i, "source", names); err != nil {
		return i, err
	}
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return sourceKillProof(killed, names, l) }
	}
	i.Began(ctx, target.View{}, nil)
	return i, nil
}

// sourceKillProof quotes where a pipeline's source was killed.
func sourceKillProof(killed []harness.Member, names []string, l harness.PipelineLayout) (string, bool) {
	for _, m := range killed {
		switch {
		case m.Pipeline != l.Name || !slices.Contains(names, m.Name):
		case m.WaitingAt == "":
			return "killed " + m.Name, true
		default:
			return fmt.Sprintf("killed %s in phase %s with %d records held", m.Name, m.WaitingAt, m.Held), true
		}
	}
	return inject.NotTouched("no source of it was killed")
}
