package toxics

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

const (
	running = harness.MemberRunning
	paused  = harness.MemberPaused
	dead    = harness.MemberDead
)

func (s *stage) memberState(t require.TestingT, name string) harness.MemberState {
	m, err := target.Member(s.Field, name)
	require.NoError(t, err)
	return m.State
}

// Two faults on one worker's process: whichever is healed first, the other has its way until it is healed too.
func TestFaultsOnOneWorkerHealInAnyOrder(t *testing.T) {
	never, renamed := map[string]any{"restart": "never"}, map[string]any{"identity": "new"}
	for _, c := range []struct {
		first, second string
		options       map[string]any // of the second
		worker        string         // who is looked at: p-0, or the one that worker-scale adds
		// withFirst and withSecond are its state when only that fault is left, after when none is.
		withFirst, withSecond, after harness.MemberState
	}{
		{"worker-pause", "worker-kill", nil, "p-0", paused, dead, running},
		{"worker-pause", "worker-kill", renamed, "p-0", paused, dead, running},
		{"worker-pause", "worker-kill", never, "p-0", dead, dead, dead},
		{"worker-scale", "worker-kill", nil, "p-3", running, dead, dead},
		{"worker-scale", "worker-kill", never, "p-3", dead, dead, dead},
		{"worker-scale", "worker-pause", nil, "p-3", running, paused, dead},
		{"worker-scale", "worker-stop", nil, "p-3", running, dead, dead},
		{"worker-scale", "worker-scale", nil, "p-3", running, dead, dead},
	} {
		for _, healedFirst := range []string{"first", "second"} {
			t.Run(c.first+" and "+c.second+", the "+healedFirst+" healed first", func(t *testing.T) {
				s := newStage(t)
				a := s.inject(t, c.first, "worker 0", nil)
				b := s.inject(t, c.second, "all workers", c.options)
				between := c.withSecond
				if healedFirst == "second" {
					a, b, between = b, a, c.withFirst
				}
				require.NoError(t, a.Heal(t.Context()))
				assert.Equal(t, between, s.memberState(t, c.worker), "one was healed")
				proof, err := a.(*inject.Injection).CheckHeal(t.Context())
				require.NoError(t, err, "what another fault has is not its business")
				if between != running && c.after == running {
					assert.Contains(t, proof, "worker p-0 is "+string(between)+", as another fault wants it")
				}
				for range 2 {
					require.NoError(t, b.Heal(t.Context()))
					require.NoError(t, a.Heal(t.Context()))
				}
				for _, i := range []harness.Injection{a, b} {
					_, err := i.(*inject.Injection).CheckHeal(t.Context())
					require.NoError(t, err)
				}
				assert.Equal(t, c.after, s.memberState(t, c.worker), "both were healed")
				assert.Empty(t, s.Claims.Held())
			})
		}
	}
}

// A worker that is dead can't be hit, nor one that is frozen by what it doesn't hear. The fault says so at once, does
// nothing, and leaves the worker to the fault that has it.
func TestFaultsOnWorkersThatAreNotThereAreErrors(t *testing.T) {
	s := newStage(t)
	for first, then := range map[string][]string{
		"worker-kill":  {"worker-kill", "worker-pause", "worker-stop"},
		"worker-stop":  {"worker-kill", "worker-pause", "worker-stop"},
		"worker-pause": {"worker-pause", "worker-stop"},
	} {
		a := s.inject(t, first, "worker 0", nil)
		was, calls := s.memberState(t, "p-0"), s.fleet.called()
		for _, second := range then {
			looks := s.fleet.looks.Load()
			b, err := s.try(t.Context(), t, second, "worker 0", nil)
			require.ErrorContains(t, err, "worker p-0 is "+string(was), "%s on top of %s", second, first)
			require.ErrorContains(t, err, "another fault has it")
			assert.Less(t, s.fleet.looks.Load()-looks, int64(20), "nothing waits for it")
			require.NoError(t, b.Heal(t.Context()))
			_, err = b.(*inject.Injection).CheckHeal(t.Context())
			require.NoError(t, err)
			assert.Equal(t, was, s.memberState(t, "p-0"), "%s on top of %s", second, first)
		}
		assert.Equal(t, calls, s.fleet.called())
		require.NoError(t, a.Heal(t.Context()))
		assert.Equal(t, running, s.memberState(t, "p-0"))
	}
}

// A worker that another fault kills on its way to a phase is not brought back by the fault that waited for it, and its next
// incarnation waits nowhere.
func TestAWorkerThatDiesOnItsWayToAPhaseIsTheOthers(t *testing.T) {
	for _, killHealedFirst := range []bool{false, true} {
		s := newStage(t)
		s.fleet.never["p-0"] = true
		waiting := make(chan harness.Injection)
		go func() {
			fault, _ := New("worker-kill", map[string]any{"phase": "flushed", "within": "1s"})
			i, err := fault.Inject(t.Context(), s.Field, "worker 0")
			assert.ErrorContains(t, err, "worker p-0: waiting for phase flushed")
			waiting <- i
		}()
		await(t, "it is armed", func() bool { return len(s.fleet.called()) > 0 })
		kill := s.inject(t, "worker-kill", "worker 0", nil)
		late := <-waiting
		if killHealedFirst {
			require.NoError(t, kill.Heal(t.Context()))
		}
		require.NoError(t, late.Heal(t.Context()))
		if !killHealedFirst {
			assert.Equal(t, dead, s.memberState(t, "p-0"))
			require.NoError(t, kill.Heal(t.Context()))
		}
		assert.Equal(t, []string{"arm flushed p-0", "kill p-0", "restart p-0"}, s.fleet.called())
	}
}

// A worker that is hit while worker-scale still starts it is the others' as long as they have it, and ends with the scale.
func TestAWorkerThatIsHitWhileItIsAdded(t *testing.T) {
	s := newStage(t)
	name, err := s.fleet.Add(t.Context(), "p")
	require.NoError(t, err)
	pause := s.inject(t, "worker-pause", "all workers", nil)
	var scale inject.Undo
	kit.MemberProcess(s.Field, name).Adopt(&scale, dead)
	kill := s.inject(t, "worker-kill", "all workers", nil)
	require.NoError(t, kill.Heal(t.Context()))
	assert.Equal(t, paused, s.memberState(t, name))
	require.NoError(t, scale.Run(t.Context()))
	assert.Equal(t, paused, s.memberState(t, name))
	require.NoError(t, pause.Heal(t.Context()))
	assert.Equal(t, dead, s.memberState(t, name))
	assert.Equal(t, running, s.memberState(t, "p-0"))
}

// Any faults on workers, injected and healed in any order: p-0 is always as the newest one still active wants it, and at
// the end those run that ran at first, and no others.
func TestFaultsOnWorkersComeAndGoInAnyOrder(t *testing.T) {
	s := newStage(t)
	kinds := []struct {
		fault, target string
		wants         harness.MemberState
		from          []harness.MemberState // of p-0
	}{
		{"worker-pause", "worker 0", paused, target.Responsive},
		{"worker-kill", "worker 0", dead, target.Living},
		{"worker-kill", "all workers", dead, target.Living},
		{"worker-stop", "worker 0", dead, target.Responsive},
		{"worker-scale", "worker 0", "", nil},
	}
	type active struct {
		harness.Injection
		wants harness.MemberState
	}
	rapid.Check(t, func(t *rapid.T) {
		var all []active
		now := func() harness.MemberState {
			for at := len(all) - 1; at >= 0; at-- {
				if all[at].wants != "" {
					return all[at].wants
				}
			}
			return running
		}
		heal := func(at int) {
			one := all[at]
			all = append(all[:at:at], all[at+1:]...)
			require.NoError(t, one.Heal(context.Background()))
			require.Equal(t, now(), s.memberState(t, "p-0"))
		}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "fault")]
			if len(all) > 0 && rapid.Bool().Draw(t, "heal") {
				heal(rapid.IntRange(0, len(all)-1).Draw(t, "which"))
				continue
			}
			if kind.fault == "worker-scale" && len(all) > 0 {
				continue // it waits until all who live share the partitions
			}
			fault, err := New(kind.fault, nil)
			require.NoError(t, err)
			if kind.from != nil && !slices.Contains(kind.from, now()) && kind.target == "worker 0" {
				i, err := fault.Inject(context.Background(), s.Field, kind.target)
				require.ErrorContains(t, err, "another fault has it")
				require.NoError(t, i.Heal(context.Background()))
				continue
			}
			if kind.target == "all workers" && now() == dead {
				continue
			}
			i, err := fault.Inject(context.Background(), s.Field, kind.target)
			require.NoError(t, err)
			all = append(all, active{i, kind.wants})
		}
		for len(all) > 0 {
			heal(rapid.IntRange(0, len(all)-1).Draw(t, "last"))
		}
		for _, m := range s.fleet.Members() {
			want := running
			if m.Number >= 2 {
				want = dead
			}
			require.Equal(t, want, m.State, m.Name)
		}
		require.Empty(t, s.Claims.Held())
	})
}
