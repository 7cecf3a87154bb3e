package triggers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var healedKind = Kind{
	Name:  "healed",
	About: "the fault of that name was healed",
	Value: "the name of a fault above this one",
	Sign:  "NAME",
	make:  func(r *options.Reader) trigger { return afterFault{r.Word("healed"), "healed", harness.Signs.Healed} },
}

var injectedKind = Kind{
	Name:  "injected",
	About: "the fault of that name was injected",
	Value: "the name of a fault above this one",
	Sign:  "NAME",
	make: func(r *options.Reader) trigger {
		return afterFault{r.Word("injected"), "injected", harness.Signs.Injected}
	},
}

// afterFault waits for another fault of the schedule.
type afterFault struct {
	label, what string
	await       func(harness.Signs, context.Context, string) error
}

var _ harness.Trigger = afterFault{}

func (a afterFault) String() string { return a.label + " " + a.what }

func (a afterFault) validate(s harness.Scope) (harness.Trigger, error) {
	if slices.Contains(s.Labels, a.label) {
		return a, nil
	}
	names := "none has a name"
	if len(s.Labels) > 0 {
		names = "there are: " + strings.Join(s.Labels, ", ")
	}
	return nil, wrong(a.what, "no fault above this one is named %q (%s)", a.label, names)
}

func (afterFault) Holds() []string { return nil }

func (a afterFault) Arm(_ context.Context, _ *harness.Field, signs harness.Signs) (harness.Armed, error) {
	return afterFaultArmed{a, signs}, nil
}

type afterFaultArmed struct {
	afterFault
	signs harness.Signs
}

func (a afterFaultArmed) Await(ctx context.Context) (string, error) {
	if err := a.await(a.signs, ctx, a.label); err != nil {
		return "", err
	}
	return fmt.Sprintf("after %s was %s", a.label, a.what), nil
}

func (afterFaultArmed) Release(context.Context) error { return nil }
