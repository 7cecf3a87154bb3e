package toxics

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var sourceKillKind = Kind{
	Name:  "source-kill",
	About: "ends producers under test at once (SIGKILL), at a phase of their loops where one is named",
	Hits:  Sources,
	Options: []options.Info{
		{Name: "phase", About: "the phase to kill at: one for all pipelines, or a mapping from pipeline to phase"},
		{Name: "restart", About: "heal (start new lives when the fault's time is over) or never; heal unless given"},
		{Name: "within", About: "how long the producers may take to reach their phases, 1s to 2m; 20s unless given"},
	},
	make: func(r *options.Reader) harness.Fault { return sourceKill{readMemberKill(r)} },
}

// sourceKill is worker-kill for the sources of producer-only pipelines.
type sourceKill struct{ memberKill }

var _ harness.Fault = sourceKill{}

// check refuses phases of pipelines that there are not, and phases that a producer hasn't.
func (s sourceKill) check(scope harness.Scope, t Target) error {
	for _, p := range scope.Pipelines {
		if phase := s.phaseOf(p.Name); p.ProducerOnly && t.means(p.Name) && phase != "" && !slices.Contains(p.Phases, phase) {
			return &options.Error{Option: "phase", Reason: fmt.Sprintf("pipeline %s has no phase %q", p.Name, phase)}
		}
	}
	return s.checkPipelines(scope)
}

// Inject brings every targeted source to its phase, and kills all of them at once. What a source had sent since its last
// saved position counts as in flight.
func (s sourceKill) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, err := ParseTarget(selector)
	if err != nil {
		return nil, err
	}
	names, err := sourcesOf(f.Fleet.Members(), t)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, workersResolved(f, names))
	if err := s.awaitPhases(ctx, i, names); err != nil {
		return i, err
	}
	killed := f.Fleet.Members()
	i.inFlight = inFlight(f)
	for _, m := range killed {
		if slices.Contains(names, m.Name) {
			i.inFlight[m.Pipeline] = max(i.inFlight[m.Pipeline], m.Held)
		}
	}
	if err := s.kill(ctx, i, "source", names); err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return sourceKillProof(killed, names, l) }
	}
	i.began(ctx, view{}, nil)
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
	return notTouched("no source of it was killed")
}
