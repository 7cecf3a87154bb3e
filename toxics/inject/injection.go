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

// Proof reports whether a fault took effect on a pipeline, and quotes what was measured.
type Proof func(harness.PipelineLayout) (proof string, hit bool)

// Injection is an active fault: every fault returns one.
type Injection struct {
	Field *harness.Field
	// Hit is what the target turned out to be.
	Hit harness.Resolved
	// Undo has what heals the fault.
	Undo Undo
	// InFlight counts, by pipeline, the records that were offered and not yet visible when the fault was injected.
	InFlight map[string]uint64
	// BeforeHeal, if set, runs once before the first heal, for what can be measured only while the fault is active.
	BeforeHeal func(context.Context)
	// Prove measures after the heal; nil for a fault that was not applied.
	Prove func(context.Context) Proof
	// Reaction, if set, says what came of the fault in better words than the watch has.
	Reaction func() string

	ran        *ran
	watch      *watch
	looks      []healLook
	background *background // nil if nothing goes on while the fault is active
	healing    sync.Once
	mu         sync.Mutex
	lasting    []harness.Lasting
}

var _ harness.Injection = (*Injection)(nil)

// New makes the injection of a fault that has not done anything yet, and notes what is in flight.
func New(f *harness.Field, resolved harness.Resolved) *Injection {
	i := &Injection{Field: f, Hit: resolved, InFlight: InFlight(f), ran: newRan()}
	i.ran.look(f)
	return i
}

// Began is called right after the fault was applied. It notes again what is in flight, and starts to watch the cluster. Asked
// are the brokers to ask for leaders: those that were not cut off.
func (i *Injection) Began(ctx context.Context, v target.View, asked []int) {
	for pipeline, n := range InFlight(i.Field) {
		i.InFlight[pipeline] = max(i.InFlight[pipeline], n)
	}
	i.ran.look(i.Field)
	i.watch = watchOver(ctx, i.Field, v, asked, i.Hit, i.ran)
}

// Resolved returns what the target turned out to be.
func (i *Injection) Resolved() harness.Resolved { return i.Hit }

// Heal undoes the fault, also under a cancelled context. Called again, it undoes what could not be undone before.
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

// Proofs returns for each pipeline whether the fault took effect on it while it had records in flight.
func (i *Injection) Proofs(ctx context.Context) []harness.Proof {
	measured := Proof(NotApplied)
	if i.Prove != nil {
		measured = i.Prove(ctx)
	}
	var proofs []harness.Proof
	for _, l := range i.Field.Plan.Pipelines {
		proof := harness.Proof{Pipeline: l.Name, InFlight: i.InFlight[l.Name]}
		proof.Text, proof.TookEffect = measured(l)
		if proof.TookEffect && i.ran.none(l.Name) && len(i.Lasting()) == 0 {
			proof.TookEffect, proof.Text = false, proof.Text+NothingRan
		}
		if proof.TookEffect && proof.InFlight == 0 && i.watch.most(l.Name) == 0 {
			proof.TookEffect, proof.Text = false, proof.Text+NothingInFlight
		}
		proofs = append(proofs, proof)
	}
	return proofs
}

// NotApplied is the proof of a fault whose injection failed.
func NotApplied(harness.PipelineLayout) (string, bool) { return NotTouched("it was not applied") }

// Reacted is the cluster's reaction: how leadership moved, or that it didn't.
func (i *Injection) Reacted() string {
	if i.Reaction != nil {
		return i.Reaction()
	}
	return i.watch.reaction()
}

// Lasts notes what the fault did that no heal undoes.
func (i *Injection) Lasts(what ...harness.Lasting) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lasting = append(i.lasting, what...)
}

// Lasting returns what the fault has done so far that no heal undoes.
func (i *Injection) Lasting() []harness.Lasting {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.lasting)
}

// NotTouched is the proof that a fault took no effect on a pipeline; the text says why.
func NotTouched(format string, args ...any) (string, bool) {
	return fmt.Sprintf(format, args...), false
}
