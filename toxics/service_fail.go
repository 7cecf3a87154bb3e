package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
)

var serviceFailKind = Kind{
	Name:  "service-fail",
	About: "makes the external service misbehave after it has stored an effect, so that its caller can't know",
	Hits:  Service,
	Options: []OptionInfo{
		{"how", "hang (answer nothing until the heal), error (answer 500 until the heal) or die (SIGKILL; a new life at the heal); hang unless given"},
		{"within", "how long until the next effect is stored, 1s to 2m; 20s unless given"},
	},
	make: func(r *reader) harness.Fault {
		return serviceFail{
			how:    r.oneOf("how", serviceHang, serviceError, serviceDie),
			within: r.duration("within", 20*time.Second, time.Second, 2*time.Minute),
		}
	},
}

const (
	serviceHang  = "hang"
	serviceError = "error"
	serviceDie   = "die"
	// serviceMember is the external service's name in the fleet.
	serviceMember = "service"
)

// serviceFail arms the service at the moment after an effect was stored. Toxics on the service's link could lose the
// request instead, and then nothing would have happened.
type serviceFail struct {
	how    string
	within time.Duration
}

var _ harness.Fault = serviceFail{}

func (serviceFail) Needs() []string { return nil }

func (s serviceFail) String() string { return s.how + " once an effect is stored" }

// check refuses an experiment in which nobody calls the service.
func (serviceFail) check(scope Scope, _ Target) error {
	for _, p := range scope.Pipelines {
		if p.Effects {
			return nil
		}
	}
	return fmt.Errorf("no pipeline of the experiment calls the external service")
}

// Inject waits until the service has stored an effect and misbehaves with it.
func (s serviceFail) Inject(ctx context.Context, f *harness.Field, _ string) (harness.Injection, error) {
	i := newInjection(f, harness.Resolved{Text: "the external service", Members: []string{serviceMember}})
	i.undo.add("the service", restartWithin, func(ctx context.Context) error { return s.revive(ctx, f) })
	phase := "stored"
	if s.how == serviceError {
		phase = "failing"
	}
	waiting, cancel := context.WithTimeoutCause(ctx, s.within, fmt.Errorf("no effect within %s", s.within))
	defer cancel()
	if err := f.Fleet.Arm(waiting, serviceMember, phase); err != nil {
		return i, err
	}
	if err := f.Fleet.Await(waiting, serviceMember); err != nil {
		return i, fmt.Errorf("waiting for the service to store an effect: %w", err)
	}
	if s.how == serviceDie {
		if err := f.Fleet.Kill(ctx, serviceMember); err != nil {
			return i, err
		}
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			if !l.Effects {
				return notTouched("it doesn't call the service")
			}
			return "the service stored an effect and did not confirm it (" + s.how + "); it serves every pipeline that calls it", true
		}
	}
	i.began(ctx, view{}, nil)
	return i, nil
}

// revive lets the service answer again, or starts it anew.
func (s serviceFail) revive(ctx context.Context, f *harness.Field) error {
	m, err := member(f, serviceMember)
	switch {
	case err != nil:
		return err
	case m.State == harness.MemberDead:
		return f.Fleet.Restart(ctx, serviceMember)
	}
	return f.Fleet.Release(ctx, serviceMember)
}
