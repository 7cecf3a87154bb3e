package inject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/target"
)

// Proof says by effect whether a fault hit a pipeline, and quotes what was measured.
type Proof func(harness.PipelineLayout) (proof string, hit bool)

// Injection is an active fault: every fault returns one.
type Injection struct {
	Field *harness.Field
	Hit   harness.Resolved
	Undo  Undo
	watch *watch
	// InFlight is by pipeline: records offered and not yet visible when the fault was injected.
	InFlight map[string]uint64
	// BeforeHeal, when set, runs once before the first heal: what can only be measured while the fault is active.
	BeforeHeal func(context.Context)
	// Prove measures, after the heal.
	Prove func(context.Context) Proof
	// Reaction, when set, says what came of the fault in better words than the watch.
	Reaction func() string
	// looks are what CheckHeal looks at.
	looks []healLook

	healing sync.Once
	// background is what runs while the fault is active, nil where nothing does.
	background *background
	// lasting is what no heal undoes.
	mu      sync.Mutex
	lasting []harness.Lasting
}

var _ harness.Injection = (*Injection)(nil)

// New notes what is in flight before anything is done.
func New(f *harness.Field, resolved harness.Resolved) *Injection {
	return &Injection{Field: f, Hit: resolved, InFlight: InFlight(f)}
}

// Began is called right after a fault was applied: it notes once more what is in flight, and starts to watch what the
// cluster does about it. Asked are the brokers to be asked for leaders: not those that were cut off.
func (i *Injection) Began(ctx context.Context, v target.View, asked []int) {
	for pipeline, n := range InFlight(i.Field) {
		i.InFlight[pipeline] = max(i.InFlight[pipeline], n)
	}
	i.watch = watchOver(ctx, i.Field, v, asked, i.Hit)
}

// Resolved says what the target was.
func (i *Injection) Resolved() harness.Resolved { return i.Hit }

// Heal undoes the fault, as often as it is called until nothing is left to undo. It heals under a cancelled context too.
func (i *Injection) Heal(ctx context.Context) error {
	var stopped error
	i.healing.Do(func() {
		stopped = i.background.stop()
		if i.watch != nil {
			i.watch.stop()
		}
		if i.BeforeHeal != nil {
			ctx, cancel := HealContext(ctx, MeasureWithin)
			defer cancel()
			i.BeforeHeal(ctx)
		}
	})
	return errors.Join(stopped, i.Undo.Run(ctx))
}

// Bites says for each pipeline whether the fault hit it while it had records in flight.
func (i *Injection) Bites(ctx context.Context) []harness.Bite {
	measured := Proof(NotApplied)
	if i.Prove != nil {
		measured = i.Prove(ctx)
	}
	var bites []harness.Bite
	for _, l := range i.Field.Plan.Pipelines {
		bite := harness.Bite{Pipeline: l.Name, InFlight: i.InFlight[l.Name]}
		bite.Proof, bite.Bit = measured(l)
		if bite.Bit && bite.InFlight == 0 && i.watch.most(l.Name) == 0 {
			bite.Bit, bite.Proof = false, bite.Proof+NothingInFlight
		}
		bites = append(bites, bite)
	}
	return bites
}

// NotApplied is the evidence of a fault whose injection failed.
func NotApplied(harness.PipelineLayout) (string, bool) { return NotTouched("it was not applied") }

// Effect says what the cluster did about the fault: how leadership moved, or that it didn't.
func (i *Injection) Effect() string {
	if i.Reaction != nil {
		return i.Reaction()
	}
	return i.watch.reaction()
}

// Lasts notes what the fault has done that no heal undoes.
func (i *Injection) Lasts(what ...harness.Lasting) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lasting = append(i.lasting, what...)
}

// Lasting says what the fault has done, so far, that no heal undoes.
func (i *Injection) Lasting() []harness.Lasting {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.lasting)
}

// NotTouched is the proof that a fault passed a pipeline by.
func NotTouched(format string, args ...any) (string, bool) {
	return fmt.Sprintf(format, args...), false
}
