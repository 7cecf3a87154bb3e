package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// The values of the option "restart": whether members that were ended come back.
const (
	restartAtHeal = "heal"
	restartNever  = "never"
)

// memberKill is what faults that kill members have in common: at which phase, and whether and as whom they come back.
type memberKill struct {
	phases  map[string]string
	held    uint64
	restart string
	// renamed says that the next incarnation has another transactional id.
	renamed bool
	within  time.Duration
}

// readMemberKill reads the options of faults that bring members to a phase.
func readMemberKill(r *options.Reader) memberKill {
	return memberKill{
		phases:  r.PerPipeline("phase"),
		restart: r.OneOf("restart", restartAtHeal, restartNever),
		within:  r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}
}

func (memberKill) Needs() []string { return nil }

func (k memberKill) String() string {
	var parts []string
	for _, pipeline := range slices.Sorted(maps.Keys(k.phases)) {
		if pipeline == options.Everyone {
			parts = append(parts, "at phase "+k.phases[pipeline])
		} else {
			parts = append(parts, fmt.Sprintf("%s at %s", pipeline, k.phases[pipeline]))
		}
	}
	if k.held > 1 {
		parts = append(parts, fmt.Sprintf("with %d records held or more", k.held))
	}
	if k.restart == restartNever {
		parts = append(parts, "never restarted")
	}
	if k.renamed {
		parts = append(parts, "restarted with a new identity")
	}
	return strings.Join(parts, ", ")
}

// phaseOf is the phase to kill a pipeline's member at, "" for any moment.
func (k memberKill) phaseOf(pipeline string) string {
	if phase, ok := k.phases[pipeline]; ok {
		return phase
	}
	return k.phases[options.Everyone]
}

// checkPipelines refuses phases of pipelines that the experiment doesn't have.
func (k memberKill) checkPipelines(s harness.Scope) error {
	for _, pipeline := range slices.Sorted(maps.Keys(k.phases)) {
		if pipeline != options.Everyone && !s.Has(pipeline) {
			return &options.Error{Option: "phase", Reason: fmt.Sprintf("the experiment has no pipeline %q", pipeline)}
		}
	}
	return nil
}

// kill kills members. A member that is to come back under another name is renamed at once: whichever fault's heal starts it.
func (k memberKill) kill(ctx context.Context, i *injection, what string, names []string) error {
	return memberFault{
		what: what, from: living, wants: harness.MemberDead, forGood: k.restart == restartNever, heal: reviveUnless(k.restart),
		hit: func(ctx context.Context, f *harness.Field, name string) error {
			if err := f.Fleet.Kill(ctx, name); err != nil || !k.renamed {
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
