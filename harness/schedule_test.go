package harness

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// journal records, in order, what happened to scripted faults.
type journal struct {
	mu     sync.Mutex
	events []string
}

func (j *journal) add(e string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) has(e string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, x := range j.events {
		if x == e {
			return true
		}
	}
	return false
}

// scripted is a fault that does what the test says.
type scripted struct {
	name      string
	links     []string
	injectErr error
	// healFails is how often healing fails before it works.
	healFails int
	journal   *journal
}

func (s *scripted) Needs() []string { return []string{"script"} }
func (s *scripted) String() string  { return s.name }

func (s *scripted) Inject(context.Context, *Field, string) (Injection, error) {
	s.journal.add("inject " + s.name)
	return s, s.injectErr
}

func (s *scripted) Resolved() Resolved { return Resolved{Text: s.name, Links: s.links} }

func (s *scripted) Heal(context.Context) error {
	if s.healFails > 0 {
		s.healFails--
		s.journal.add("heal failed " + s.name)
		return errors.New("stuck")
	}
	s.journal.add("heal " + s.name)
	return nil
}

func (s *scripted) Proofs(context.Context) []Proof { return []Proof{{Pipeline: "p", TookEffect: true}} }
func (s *scripted) Reacted() string                { return s.name + " took effect" }

// silent is a terminal that shows nothing.
type silent struct{}

func (silent) Phase(string, string)                      {}
func (silent) Note(string)                               {}
func (silent) Live(string, time.Duration, time.Duration) {}
func (silent) Close()                                    {}

func planOf(j *journal, faults ...ScheduledFault) *schedule {
	for _, f := range faults {
		f.Fault.(*scripted).journal = j
	}
	return newSchedule(faults, &Field{}, silent{})
}

func at(start, length time.Duration, s *scripted) ScheduledFault {
	return ScheduledFault{At: start, For: length, Name: s.name, Target: "t", Fault: s}
}

func TestEveryFaultIsInjectedAndHealedInTurn(t *testing.T) {
	j := &journal{}
	s := planOf(j, at(0, time.Second, &scripted{name: "long"}), at(20*time.Millisecond, 0, &scripted{name: "short"}))
	require.NoError(t, s.play(t.Context(), history.Now()))
	require.Equal(t, []string{"inject long", "inject short", "heal short", "heal long"}, j.events)
	for _, r := range s.records() {
		require.NotZero(t, r.Injected)
		require.GreaterOrEqual(t, r.Healed, r.Injected)
		require.Equal(t, r.Fault+" took effect", r.Reaction)
		require.Len(t, r.Proofs, 1)
	}
	require.NoError(t, s.healAll(t.Context()))
	require.Len(t, j.events, 4, "what is healed is not healed again")
}

func TestHealAllEndsWhatACancelLeft(t *testing.T) {
	j := &journal{}
	s := planOf(j, at(0, time.Hour, &scripted{name: "link", links: []string{"1-2"}}), at(0, time.Hour, &scripted{name: "process"}))
	ctx, cancel := context.WithCancel(t.Context())
	played := make(chan error, 1)
	go func() { played <- s.play(ctx, history.Now()) }()
	deadline, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	require.NoError(t, wait.Poll(deadline, time.Millisecond, func() (bool, error) {
		return j.has("inject link") && j.has("inject process"), nil
	}))
	cancel()
	require.NoError(t, <-played)
	require.NoError(t, s.healAll(t.Context()))
	require.Equal(t, []string{"heal process", "heal link"}, j.events[2:], "processes before links")
	require.Empty(t, s.active())
}

func TestAFailedHealIsTriedAgain(t *testing.T) {
	j := &journal{}
	s := planOf(j, at(0, 0, &scripted{name: "x", healFails: 1}))
	require.ErrorContains(t, s.play(t.Context(), history.Now()), "stuck")
	require.Equal(t, "x", s.active(), "what could not be healed is still active")
	require.NoError(t, s.healAll(t.Context()))
	require.Equal(t, []string{"inject x", "heal failed x", "heal x"}, j.events)
}

func TestAPartlyInjectedFaultIsHealed(t *testing.T) {
	j := &journal{}
	s := planOf(j, at(0, time.Hour, &scripted{name: "half", injectErr: errors.New("second link")}))
	require.ErrorContains(t, s.play(t.Context(), history.Now()), "second link")
	require.NoError(t, s.healAll(t.Context()))
	require.Equal(t, []string{"inject half", "heal half"}, j.events)
	require.Contains(t, s.records()[0].Error, "second link")
}

func TestAFaultThatNeverFiredSaysSo(t *testing.T) {
	s := planOf(&journal{}, at(time.Hour, 0, &scripted{name: "late"}))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, s.play(ctx, history.Now()), "never injected")
	require.Zero(t, s.records()[0].Injected)
}
