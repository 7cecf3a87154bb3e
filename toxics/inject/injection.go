package toxics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chaeos/chaeos/harness"
)

// evidence says by effect whether a fault hit a pipeline, and quotes what was measured.
type evidence func(harness.PipelineLayout) (proof string, hit bool)

// injection is an active fault: every fault returns one.
type injection struct {
	field    *harness.Field
	resolved harness.Resolved
	undo     undo
	watch    *watch
	// inFlight is by pipeline: records offered and not yet visible when the fault was injected.
	inFlight map[string]uint64
	// before, when set, runs once before the first heal: what can only be measured while the fault is active.
	before func(context.Context)
	// gather measures, after the heal.
	gather func(context.Context) evidence
	// effect, when set, says what came of the fault in better words than the watch.
	effect func() string
	// looks are what CheckHeal looks at.
	looks []healLook

	healing sync.Once
	// background is what runs while the fault is active, nil where nothing does.
	background *background
	// lasting is what no heal undoes.
	mu      sync.Mutex
	lasting []harness.Lasting
}

var _ harness.Injection = (*injection)(nil)

// newInjection notes what is in flight before anything is done.
func newInjection(f *harness.Field, resolved harness.Resolved) *injection {
	return &injection{field: f, resolved: resolved, inFlight: inFlight(f)}
}

// began is called right after a fault was applied: it notes once more what is in flight, and starts to watch what the
// cluster does about it. Asked are the brokers to be asked for leaders: not those that were cut off.
func (i *injection) began(ctx context.Context, v view, asked []int) {
	for pipeline, n := range inFlight(i.field) {
		i.inFlight[pipeline] = max(i.inFlight[pipeline], n)
	}
	i.watch = watchOver(ctx, i.field, v, asked, i.resolved)
}

// Resolved says what the target was.
func (i *injection) Resolved() harness.Resolved { return i.resolved }

// Heal undoes the fault, as often as it is called until nothing is left to undo. It heals under a cancelled context too.
func (i *injection) Heal(ctx context.Context) error {
	var stopped error
	i.healing.Do(func() {
		stopped = i.background.stop()
		if i.watch != nil {
			i.watch.stop()
		}
		if i.before != nil {
			ctx, cancel := healContext(ctx, measureWithin)
			defer cancel()
			i.before(ctx)
		}
	})
	return errors.Join(stopped, i.undo.run(ctx))
}

// Bites says for each pipeline whether the fault hit it while it had records in flight.
func (i *injection) Bites(ctx context.Context) []harness.Bite {
	measured := evidence(notApplied)
	if i.gather != nil {
		measured = i.gather(ctx)
	}
	var bites []harness.Bite
	for _, l := range i.field.Plan.Pipelines {
		bite := harness.Bite{Pipeline: l.Name, InFlight: i.inFlight[l.Name]}
		bite.Proof, bite.Bit = measured(l)
		if bite.Bit && bite.InFlight == 0 && i.watch.most(l.Name) == 0 {
			bite.Bit, bite.Proof = false, bite.Proof+NothingInFlight
		}
		bites = append(bites, bite)
	}
	return bites
}

// notApplied is the evidence of a fault whose injection failed.
func notApplied(harness.PipelineLayout) (string, bool) { return notTouched("it was not applied") }

// Effect says what the cluster did about the fault: how leadership moved, or that it didn't.
func (i *injection) Effect() string {
	if i.effect != nil {
		return i.effect()
	}
	return i.watch.effect()
}

// lasts notes what the fault has done that no heal undoes.
func (i *injection) lasts(what ...harness.Lasting) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lasting = append(i.lasting, what...)
}

// Lasting says what the fault has done, so far, that no heal undoes.
func (i *injection) Lasting() []harness.Lasting {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.lasting)
}

// notTouched is the proof that a fault passed a pipeline by.
func notTouched(format string, args ...any) (string, bool) {
	return fmt.Sprintf(format, args...), false
}
