package kit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// The values of the option "restart": whether members come back.
const (
	RestartAtHeal = "heal"
	RestartNever  = "never"
)

// MemberKill is what faults that kill members have in common: at which phase, and whether and under which name they come back.
type MemberKill struct {
	// Phases are by pipeline, options.Everyone for all without one of their own.
	Phases map[string]string
	// Held is how many unfinished records a member must hold at its phase.
	Held    uint64
	restart string
	// Renamed means that the next incarnation has another transactional id.
	Renamed bool
	within  time.Duration
}

// ReadMemberKill reads the options of faults that bring members to a phase.
func ReadMemberKill(r *options.Reader) MemberKill {
	return MemberKill{
		Phases:  r.PerPipeline("phase"),
		restart: r.OneOf("restart", RestartAtHeal, RestartNever),
		within:  r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}
}

// Needs lists what a provider must be able to do.
func (MemberKill) Needs() []string { return nil }

func (k MemberKill) String() string {
	var parts []string
	for _, pipeline := range slices.Sorted(maps.Keys(k.Phases)) {
		if pipeline == options.Everyone {
			parts = append(parts, "at phase "+k.Phases[pipeline])
		} else {
			parts = append(parts, fmt.Sprintf("%s at %s", pipeline, k.Phases[pipeline]))
		}
	}
	if k.Held > 1 {
		parts = append(parts, fmt.Sprintf("with %d records held or more", k.Held))
	}
	if k.restart == RestartNever {
		parts = append(parts, "never restarted")
	}
	if k.Renamed {
		parts = append(parts, "restarted with a new identity")
	}
	return strings.Join(parts, ", ")
}

// PhaseOf is the phase to kill a pipeline's member at, "" for any moment.
func (k MemberKill) PhaseOf(pipeline string) string {
	if phase, ok := k.Phases[pipeline]; ok {
		return phase
	}
	return k.Phases[options.Everyone]
}

// CheckPipelines returns an error if a phase is given for a pipeline that the experiment doesn't have.
func (k MemberKill) CheckPipelines(s harness.Scope) error {
	for _, pipeline := range slices.Sorted(maps.Keys(k.Phases)) {
		if pipeline != options.Everyone && !s.Has(pipeline) {
			return &options.Error{Option: "phase", Reason: fmt.Sprintf("the experiment has no pipeline %q", pipeline)}
		}
	}
	return nil
}

// Kill kills members. A member that is to come back under another name gets it at once, for any fault's heal may start it.
func (k MemberKill) Kill(ctx context.Context, i *inject.Injection, what string, names []string) error {
	return MemberFault{
		What: what, From: target.Living, Wants: harness.MemberDead, ForGood: k.restart == RestartNever, Heal: ReviveUnless(k.restart),
		Do: func(ctx context.Context, f *harness.Field, name string) error {
			if err := f.Fleet.Kill(ctx, name); err != nil || !k.Renamed {
				return err
			}
			return f.Fleet.Rename(name)
		},
	}.HitAll(ctx, i, names)
}

// ReviveUnless is the heal of members that were ended: it does nothing if they are never restarted.
func ReviveUnless(restart string) func(context.Context, *harness.Field, string) error {
	if restart == RestartNever {
		return func(context.Context, *harness.Field, string) error { return nil }
	}
	return reviveMember
}
