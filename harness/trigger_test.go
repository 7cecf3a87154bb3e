package harness

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// cue is a trigger that fires when the test says so.
type cue struct {
	name    string
	holds   []string
	fire    chan struct{}
	armErr  error
	journal *journal
}

func (c *cue) String() string  { return "cue " + c.name }
func (c *cue) Holds() []string { return c.holds }

func (c *cue) Arm(context.Context, *Field, Signs) (Armed, error) {
	c.journal.add("arm " + c.name)
	return c, c.armErr
}

func (c *cue) Await(ctx context.Context) (string, error) {
	select {
	case <-c.fire:
		return c.name + " fired", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (c *cue) Release(context.Context) error {
	c.journal.add("release " + c.name)
	return nil
}

func (j *journal) cue(name string, fired bool, holds ...string) *cue {
	c := &cue{name: name, holds: holds, fire: make(chan struct{}), journal: j}
	if fired {
		close(c.fire)
	}
	return c
}

// when is a trigger with a bound no test waits for.
func when(t Trigger) *When { return &When{Trigger: t, Within: time.Minute} }

// healsWith plays one fault with the triggers to its end.
func healsWith(t *testing.T, j *journal, begins, ends *When) FaultRecord {
	t.Helper()
	f := at(0, time.Minute, &scripted{name: "x"})
	f.When, f.HealWhen = begins, ends
	s := planOf(j, f)
	require.NoError(t, s.play(t.Context(), history.Now()))
	return s.records()[0]
}

func TestATriggeredFaultWaitsForItsTrigger(t *testing.T) {
	j := &journal{}
	f := at(0, 0, &scripted{name: "x"})
	f.When = when(j.cue("a", true, "p"))
	s := planOf(j, f)
	require.NoError(t, s.play(t.Context(), history.Now()))
	require.Equal(t, []string{"arm a", "inject x", "release a", "heal x"}, j.events, "who waits goes on once the fault is there")
	r := s.records()[0]
	require.Equal(t, "cue a", r.When)
	require.Equal(t, "a fired", r.Saw)
}

func TestWhoWaitsMayBeHeldUntilTheHeal(t *testing.T) {
	j := &journal{}
	f := at(0, 0, &scripted{name: "x"})
	f.When = &When{Trigger: j.cue("a", true, "p"), Within: time.Minute, HoldToHeal: true}
	require.NoError(t, planOf(j, f).play(t.Context(), history.Now()))
	require.Equal(t, []string{"arm a", "inject x", "heal x", "release a"}, j.events)
}

func TestATriggerThatNeverFiresIsSaid(t *testing.T) {
	j := &journal{}
	f := at(0, 0, &scripted{name: "x"})
	f.When = &When{Trigger: j.cue("a", false, "p"), Within: 20 * time.Millisecond}
	s := planOf(j, f)
	err := s.play(t.Context(), history.Now())
	require.ErrorContains(t, err, "fault x was never injected: its trigger (cue a): it did not fire in its time")
	require.Equal(t, 1, strings.Count(s.records()[0].Error, "did not fire in its time"), "once")
	require.Equal(t, []string{"arm a", "release a"}, j.events)
	require.Contains(t, s.records()[0].Error, "did not fire")
	require.Zero(t, s.records()[0].Injected)
}

func TestATriggerThatCannotBeArmedIsSaid(t *testing.T) {
	j := &journal{}
	c := j.cue("a", true)
	c.armErr = errors.New("no worker there")
	f := at(0, 0, &scripted{name: "x"})
	f.When = when(c)
	require.ErrorContains(t, planOf(j, f).play(t.Context(), history.Now()), "no worker there")
	require.False(t, j.has("inject x"))
}

func TestAHealTriggerEndsTheFault(t *testing.T) {
	j := &journal{}
	r := healsWith(t, j, nil, when(j.cue("b", true, "p")))
	require.Equal(t, []string{"inject x", "arm b", "heal x", "release b"}, j.events, "who waits goes on after the heal")
	require.Equal(t, "b fired", r.HealSaw)
	require.Empty(t, r.Error)
}

func TestBothTriggersOnOneWorker(t *testing.T) {
	j := &journal{}
	healsWith(t, j, when(j.cue("a", true, "p")), when(j.cue("b", true, "p")))
	require.Equal(t, []string{"arm a", "inject x", "arm b", "heal x", "release b"}, j.events,
		"the second trigger lets the worker go on, and is armed before it does")
}

func TestBothTriggersOnDifferentWorkers(t *testing.T) {
	j := &journal{}
	healsWith(t, j, when(j.cue("a", true, "p")), when(j.cue("b", true, "q")))
	require.Equal(t, []string{"arm a", "inject x", "arm b", "release a", "heal x", "release b"}, j.events)
}

func TestAHealTriggerThatNeverFiresHealsAllTheSame(t *testing.T) {
	j := &journal{}
	f := at(0, 20*time.Millisecond, &scripted{name: "x"})
	f.HealWhen = when(j.cue("b", false))
	s := planOf(j, f)
	require.ErrorContains(t, s.play(t.Context(), history.Now()), "its heal trigger (cue b): it did not fire in its time")
	require.Equal(t, []string{"inject x", "arm b", "heal x", "release b"}, j.events)
	r := s.records()[0]
	require.NotZero(t, r.Healed)
	require.Contains(t, r.Error, "heal trigger")
}

func TestAnInterruptReleasesWhoWaits(t *testing.T) {
	for name, planned := range map[string]func(*journal) ScheduledFault{
		"before the injection": func(j *journal) ScheduledFault {
			f := at(0, time.Hour, &scripted{name: "x"})
			f.When = when(j.cue("a", false))
			return f
		},
		"before the heal": func(j *journal) ScheduledFault {
			f := at(0, time.Hour, &scripted{name: "x"})
			f.HealWhen = when(j.cue("a", false))
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			s := planOf(j, planned(j))
			ctx, cancel := context.WithCancel(t.Context())
			played := make(chan struct{})
			go func() { _ = s.play(ctx, history.Now()); close(played) }()
			deadline, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			require.NoError(t, wait.Poll(deadline, time.Millisecond, func() (bool, error) { return j.has("arm a"), nil }))
			cancel()
			<-played
			require.True(t, j.has("release a"))
			require.NoError(t, s.healAll(t.Context()))
			require.Empty(t, s.active())
		})
	}
}

// after waits for another fault, as the triggers healed and injected do.
type after struct {
	cue
	label string
	await func(Signs, context.Context, string) error
	signs Signs
}

func (a *after) Arm(_ context.Context, _ *Field, signs Signs) (Armed, error) {
	a.signs = signs
	return a, nil
}

func (a *after) Await(ctx context.Context) (string, error) { return "", a.await(a.signs, ctx, a.label) }

func (j *journal) after(label string, await func(Signs, context.Context, string) error) *When {
	return when(&after{cue: cue{name: label, journal: j}, label: label, await: await})
}

func TestFaultsFollowEachOther(t *testing.T) {
	j := &journal{}
	first := at(0, 30*time.Millisecond, &scripted{name: "first"})
	first.Label = "one"
	second := at(0, 0, &scripted{name: "second"})
	second.When = j.after("one", Signs.Injected)
	third := at(0, 0, &scripted{name: "third"})
	third.When = j.after("one", Signs.Healed)
	s := planOf(j, first, second, third)
	require.NoError(t, s.play(t.Context(), history.Now()))
	require.Equal(t, []string{
		"inject first", "inject second", "release one", "heal second", "heal first", "inject third", "release one", "heal third",
	}, j.events)
	_, active := s.Injection("one")
	require.False(t, active)
}

func TestAFaultThatFollowsAFailureSaysSo(t *testing.T) {
	j := &journal{}
	first := at(0, 0, &scripted{name: "first", injectErr: errors.New("no such link"), healFails: 9})
	first.Label = "one"
	second := at(0, 0, &scripted{name: "second"})
	second.When = j.after("one", Signs.Healed)
	never := at(0, 0, &scripted{name: "third"})
	never.When = j.after("two", Signs.Injected)
	s := planOf(j, first, second, never)
	err := s.play(t.Context(), history.Now())
	require.ErrorContains(t, err, "fault one was not healed")
	require.ErrorContains(t, err, `the schedule has no fault "two"`)
	require.False(t, j.has("inject second"))
}

// TestOneFaultAtATimeHoldsAPipeline: the second trigger is armed once the first has let its worker go.
func TestOneFaultAtATimeHoldsAPipeline(t *testing.T) {
	j := &journal{}
	a, b := at(0, 10*time.Millisecond, &scripted{name: "x"}), at(0, 0, &scripted{name: "y"})
	a.When, a.HealWhen = when(j.cue("a", true, "p")), when(j.cue("a", true, "p"))
	b.When = when(j.cue("b", true, "p", "q"))
	require.NoError(t, planOf(j, a, b).play(t.Context(), history.Now()))
	first, last := slices.Index(j.events, "arm a"), slices.Index(j.events, "release a")
	require.Less(t, first, last)
	require.NotContains(t, j.events[first:last], "arm b")
	require.Contains(t, j.events, "inject y")
}

func TestATurnThatNeverComesIsSaid(t *testing.T) {
	j := &journal{}
	a, b := at(0, time.Hour, &scripted{name: "x"}), at(5*time.Millisecond, 0, &scripted{name: "y"})
	a.HealWhen = when(j.cue("a", false, "p"))
	b.When = &When{Trigger: j.cue("b", true, "p"), Within: 20 * time.Millisecond}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, planOf(j, a, b).play(ctx, history.Now()), "fault y was never injected: waiting for another fault's trigger on p")
}
