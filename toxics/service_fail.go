package toxics

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var serviceFailKind = kit.Kind{
	Name:  "service-fail",
	About: "makes the external service fail right after it has stored an effect, so that its caller can't know; or forget its keys",
	Hits:  target.Service,
	Options: []options.Info{
		{Name: "how", About: "hang (answer nothing until the heal), error (answer 500 until the heal), die (SIGKILL; a new incarnation at the heal) or forget (all idempotency keys, also those that come until the heal); default hang"},
		{Name: "within", About: "how long to wait for the next call, 1s to 2m; default 20s"},
	},
	Make: func(r *options.Reader) harness.Fault {
		return serviceFail{
			how:    r.OneOf("how", serviceHang, serviceError, serviceDie, serviceForget),
			within: r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
		}
	},
}

const (
	serviceHang  = "hang"
	serviceError = "error"
	serviceDie   = "die"
	// serviceForget loses idempotency keys, as services do that let them expire or keep them in a cache.
	serviceForget = "forget"
)

// serviceFail arms the service at the moment after an effect was stored. Toxics on the service's link could lose the request
// instead, and then nothing would have happened.
type serviceFail struct {
	how    string
	within time.Duration
}

var _ harness.Fault = serviceFail{}

func (serviceFail) Needs() []string { return nil }

func (s serviceFail) String() string {
	if s.how == serviceForget {
		return "forget every idempotency key"
	}
	return s.how + " once an effect is stored"
}

// servicePhases are the phases that the service is armed at; "stored" if it isn't here.
var servicePhases = map[string]string{serviceError: "failing", serviceForget: "forgetting"}

func (serviceFail) Check(scope harness.Scope, _ target.Target) error { return kit.CallsService(scope) }

// Inject waits until the service has stored an effect and fails.
func (s serviceFail) Inject(ctx context.Context, f *harness.Field, _ string) (harness.Injection, error) {
	i := inject.New(f, harness.Resolved{Text: "the external service", Members: []string{target.ServiceMember}})
	service, err := target.Member(f, target.ServiceMember)
	if err != nil {
		return nil, err
	}
	i.Undo.Add("the service", kit.RestartWithin, func(ctx context.Context) error { return kit.ReleaseIncarnation(ctx, f, service) })
	waiting, cancel := context.WithTimeoutCause(ctx, s.within, fmt.Errorf("no call within %s", s.within))
	defer cancel()
	before, err := s.counts(ctx, f)
	if err != nil {
		return i, err
	}
	if err := f.Fleet.Arm(waiting, target.ServiceMember, cmp.Or(servicePhases[s.how], "stored")); err != nil {
		return i, err
	}
	if err := f.Fleet.Await(waiting, target.ServiceMember); err != nil {
		return i, fmt.Errorf("waiting for a call of the service: %w", err)
	}
	if s.how == serviceDie {
		if err := (kit.MemberKill{}).Kill(ctx, i, "external service", []string{target.ServiceMember}); err != nil {
			return i, err
		}
	}
	var after map[string]int64
	i.BeforeHeal = func(ctx context.Context) { after, err = s.counts(ctx, f) }
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return s.proof(l, after[l.Name]-before[l.Name], err) }
	}
	i.Began(ctx, target.View{}, nil)
	return i, nil
}

// proof quotes how many calls the service took and did not confirm while it was armed, or how many keys it forgot.
func (s serviceFail) proof(l harness.PipelineLayout, calls int64, err error) (string, bool) {
	switch {
	case !l.Effects:
		return inject.NotTouched("it doesn't call the service")
	case err != nil:
		return inject.NotTouched("not observed: %v", err)
	case s.how == serviceForget:
		return fmt.Sprintf("%d keys forgotten", calls), calls > 0
	case s.how == serviceDie: // calls found it dead
		return fmt.Sprintf("%d calls taken and not confirmed; then the service was dead until the heal", calls), true
	}
	return fmt.Sprintf("%d calls taken and not confirmed", calls), calls > 0
}

// counts returns, by pipeline, how many calls the service took and did not confirm since it exists, or how many keys it forgot.
func (s serviceFail) counts(ctx context.Context, f *harness.Field) (map[string]int64, error) {
	store, err := effects.Open(effects.Path(f.Dir))
	if err != nil {
		return nil, err
	}
	defer store.Close() //nolint:errcheck // it was only read
	count, counts := store.Unconfirmed, map[string]int64{}
	if s.how == serviceForget {
		count = store.Forgotten
	}
	for _, l := range f.Plan.Pipelines {
		if counts[l.Name], err = count(ctx, l.Name); err != nil {
			return nil, err
		}
	}
	return counts, nil
}
