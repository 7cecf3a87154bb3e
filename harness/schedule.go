package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// reactor is an injection that can describe the cluster's reaction.
type reactor interface{ Reacted() string }

// healWithin bounds the healing of one fault.
const healWithin = 45 * time.Second

// schedule plays an experiment's faults, each at its time, overlapping as they may.
type schedule struct {
	field    *Field
	seed     uint64
	terminal Terminal
	faults   []*plannedFault
	// turns let one trigger at a time make workers of a pipeline wait.
	turns turns
}

// plannedFault is one fault from its plan to its heal. Its goroutine owns it until that ends, then the heal phase does.
type plannedFault struct {
	ScheduledFault
	mu        sync.Mutex
	record    FaultRecord
	injection Injection
	healed    bool
	// injected is closed once the fault is active, ended once its player has ended.
	injected, ended chan struct{}
}

func newSchedule(faults []ScheduledFault, field *Field, terminal Terminal) *schedule {
	s := &schedule{field: field, terminal: terminal}
	if field.Rand != nil {
		s.seed = field.Rand.Uint64()
	}
	for _, f := range faults {
		p := &plannedFault{ScheduledFault: f, injected: make(chan struct{}), ended: make(chan struct{}), record: FaultRecord{
			Fault: f.Name, Target: f.Target, Options: fmt.Sprint(f.Fault), At: f.At, For: f.For,
			Label: f.Label, AimsAt: f.AimsAt, Series: f.Series,
		}}
		if f.When != nil {
			p.record.When = f.When.Trigger.String()
		}
		if f.HealWhen != nil {
			p.record.HealWhen = f.HealWhen.Trigger.String()
		}
		s.faults = append(s.faults, p)
	}
	return s
}

func (s *schedule) inject(ctx context.Context, f *plannedFault) error {
	injection, err := f.Fault.Inject(ctx, s.fieldOf(f), f.Target)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.injection = injection
	f.noteLasting()
	if injection != nil {
		f.record.Resolved = injection.Resolved()
		f.record.Injected = history.Now()
	}
	if err != nil {
		f.record.Error = err.Error()
		return fmt.Errorf("injecting %s on %s: %w", f.Name, f.Target, err)
	}
	close(f.injected)
	s.terminal.Note(fmt.Sprintf("%s: %s%s", f.Name, f.record.Resolved.Text, prefixed("; ", f.record.Saw)))
	return nil
}

// fieldOf gives a fault its own source of randomness, seeded by the run's seed and its index in the schedule.
func (s *schedule) fieldOf(f *plannedFault) *Field {
	field := *s.field
	field.Rand = rand.New(rand.NewPCG(s.seed, uint64(slices.Index(s.faults, f))+1))
	return &field
}

// heal undoes one fault (again, if that failed before) and takes its proofs.
func (s *schedule) heal(ctx context.Context, f *plannedFault) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.injection == nil || f.healed {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healWithin)
	defer cancel()
	if err := f.injection.Heal(ctx); err != nil {
		f.record.Error = "heal: " + err.Error()
		return fmt.Errorf("healing %s on %s: %w", f.Name, f.record.Resolved.Text, err)
	}
	f.healed = true
	f.record.Healed = history.Now()
	f.noteLasting()
	f.record.Proofs = f.injection.Proofs(ctx)
	if e, ok := f.injection.(reactor); ok {
		f.record.Reaction = e.Reacted()
	}
	if err := f.checkHeal(ctx); err != nil {
		return err
	}
	s.terminal.Note(fmt.Sprintf("%s healed after %.1fs%s", f.Name,
		f.record.Healed.Sub(f.record.Injected).Seconds(), prefixed("; ", f.record.Reaction)))
	return nil
}

// checkHeal records what shows that the fault is over. If it left something broken, the run is inconclusive.
func (f *plannedFault) checkHeal(ctx context.Context) error {
	checker, ok := f.injection.(healChecker)
	if !ok {
		return nil
	}
	proof, err := checker.CheckHeal(ctx)
	f.record.HealProof = proof
	if err != nil {
		f.record.Error = "after the heal: " + err.Error()
		return fmt.Errorf("after the heal of %s on %s: %w", f.Name, f.record.Resolved.Text, err)
	}
	return nil
}

// noteLasting records what no heal undoes, as far as it is known now.
func (f *plannedFault) noteLasting() {
	if l, ok := f.injection.(lastingInjection); ok {
		f.record.Lasting = l.Lasting()
	}
}

// healAll heals whatever is still active, processes before links: a link whose peer is stopped can't be changed.
func (s *schedule) healAll(ctx context.Context) error {
	order := slices.Clone(s.faults)
	slices.SortStableFunc(order, func(a, b *plannedFault) int {
		return min(len(a.record.Resolved.Links), 1) - min(len(b.record.Resolved.Links), 1)
	})
	var errs []error
	for _, f := range order {
		errs = append(errs, s.heal(ctx, f))
	}
	return errors.Join(append(errs, s.checkAll(ctx))...)
}

// checkAll checks once more everything that faults touched, now that none is active: what one fault left to another to put
// back must be back too. Workers are not checked: a later fault may have ended one for good.
func (s *schedule) checkAll(ctx context.Context) error {
	var errs []error
	for _, f := range s.faults {
		f.mu.Lock()
		onWorkers := len(f.record.Resolved.Members) > 0 && len(f.record.Resolved.Links) == 0
		if f.healed && f.record.Error == "" && !onWorkers {
			errs = append(errs, f.checkHeal(ctx))
		}
		f.mu.Unlock()
	}
	return errors.Join(errs...)
}

func (s *schedule) records() []FaultRecord {
	var out []FaultRecord
	for _, f := range s.faults {
		f.mu.Lock()
		out = append(out, f.record)
		f.mu.Unlock()
	}
	return out
}

// active names the faults that are injected and not healed.
func (s *schedule) active() string {
	var names []string
	for _, f := range s.faults {
		if f.mu.TryLock() { // a fault that is being healed right now counts as active
			if f.injection != nil && !f.healed {
				names = append(names, f.Name)
			}
			f.mu.Unlock()
		} else {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
