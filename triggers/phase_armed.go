package triggers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// ownerWithin is how long arming waits for a group that is rebalancing: meanwhile no worker owns the partition.
const ownerWithin = 5 * time.Second

// Arm finds the workers and makes each wait.
func (p phase) Arm(ctx context.Context, f *harness.Field, _ harness.Signs) (harness.Armed, error) {
	armed := &phaseArmed{phase: p, field: f}
	for _, pipeline := range p.of {
		name, err := p.owner(ctx, f, pipeline)
		if err == nil {
			armed.workers = append(armed.workers, name)
			err = f.Fleet.ArmAfter(ctx, name, p.byPipeline[pipeline], p.nth-1)
		}
		if err != nil {
			armed.workers = armed.workers[:max(0, len(armed.workers)-1)] // another fault has armed that one, or it is not armed
			return armed, err
		}
	}
	return armed, nil
}

// roleSource is harness.Member's role of a source.
const roleSource = "source"

// owner waits for a running worker that owns the partition. A pipeline that is a source has one process only.
func (p phase) owner(ctx context.Context, f *harness.Field, pipeline string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ownerWithin)
	defer cancel()
	name := ""
	err := wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		for _, m := range f.Fleet.Members() {
			owns := m.Role == roleSource || slices.Contains(m.Partitions, p.partition)
			if m.Pipeline == pipeline && m.State == harness.MemberRunning && owns {
				name = m.Name
			}
		}
		return name != "", nil
	})
	if err != nil {
		return "", fmt.Errorf("no running worker of %s owns partition %d: %w", pipeline, p.partition, err)
	}
	return name, nil
}

// phaseArmed is a phase trigger whose workers are on their way.
type phaseArmed struct {
	phase
	field   *harness.Field
	workers []string
}

// Await returns once all the workers wait.
func (a *phaseArmed) Await(ctx context.Context) (string, error) {
	var saw []string
	for _, name := range a.workers {
		if err := a.field.Fleet.Await(ctx, name); err != nil {
			return "", err
		}
		m, err := a.member(name)
		if err != nil {
			return "", err
		}
		text := fmt.Sprintf("%s waits at %s with %d records held", name, m.WaitingAt, m.Held)
		if a.seen != nil {
			more, err := a.seen(ctx, a.field, m)
			if err != nil {
				return "", fmt.Errorf("%s: %w", text, err)
			}
			text += ", " + more
		}
		saw = append(saw, text)
	}
	return strings.Join(saw, "; "), nil
}

func (a *phaseArmed) member(name string) (harness.Member, error) {
	for _, m := range a.field.Fleet.Members() {
		if m.Name == name && m.WaitingAt != "" {
			return m, nil
		}
	}
	return harness.Member{}, fmt.Errorf("%s no longer waits", name)
}

// Release lets the workers go on, except dead ones.
func (a *phaseArmed) Release(ctx context.Context) error {
	var errs []error
	for _, name := range a.workers {
		dead := func() bool {
			return slices.ContainsFunc(a.field.Fleet.Members(), func(m harness.Member) bool {
				return m.Name == name && m.State == harness.MemberDead
			})
		}
		if dead() {
			continue
		}
		if err := a.field.Fleet.Release(ctx, name); err != nil && !dead() {
			errs = append(errs, fmt.Errorf("letting %s go on: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
