package toxics

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

func (s *stage) state(t *testing.T, node int) harness.NodeState {
	t.Helper()
	state, err := kit.StateOf(t.Context(), s.cluster, node)
	require.NoError(t, err)
	return state
}

// Two faults on one broker's process: whichever is healed first, the other has its way until it is healed too.
func TestFaultsOnOneBrokerHealInAnyOrder(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		first, second string
		// between is the broker's state when only one of them is left: the second healed first, or the first.
		withFirst, withSecond harness.NodeState
	}{
		{"broker-pause", "broker-kill", harness.NodePaused, harness.NodeStopped},
		{"broker-pause", "broker-wipe", harness.NodePaused, harness.NodeStopped},
		{"broker-restart", "broker-kill", harness.NodeRunning, harness.NodeStopped},
		{"broker-restart", "broker-pause", harness.NodeRunning, harness.NodePaused},
		{"broker-restart", "broker-stop", harness.NodeRunning, harness.NodeStopped},
		{"broker-kill", "power-loss", harness.NodeStopped, harness.NodeStopped},
		{"broker-restart", "broker-restart", harness.NodeRunning, harness.NodeRunning},
	} {
		for _, healedFirst := range []string{"first", "second"} {
			a := s.inject(t, c.first, "broker 1", optionsOf(c.first))
			b := s.inject(t, c.second, "broker 1", optionsOf(c.second))
			between := c.withSecond
			if healedFirst == "second" {
				a, b, between = b, a, c.withFirst
			}
			require.NoError(t, a.Heal(t.Context()))
			assert.Equal(t, between, s.state(t, 1), "%s, %s: the %s was healed", c.first, c.second, healedFirst)
			_, err := a.(*inject.Injection).CheckHeal(t.Context())
			require.NoError(t, err, "what another fault has is not its business")
			require.NoError(t, b.Heal(t.Context()))
			for _, i := range []harness.Injection{a, b} {
				require.NoError(t, i.Heal(t.Context()))
				_, err := i.(*inject.Injection).CheckHeal(t.Context())
				require.NoError(t, err)
			}
			s.allRun(t)
			assert.Empty(t, s.Claims.Held())
		}
	}
}

// A process that is dead can't be hit, nor one that is frozen by a signal that it doesn't hear. The fault says so, does
// nothing to that broker, and leaves it to the fault that has it.
func TestFaultsOnBrokersThatAreNotThereAreErrors(t *testing.T) {
	s := newStage(t)
	for first, then := range map[string][]string{
		"broker-kill":  {"broker-kill", "broker-pause", "broker-restart", "broker-stop", "broker-wipe"},
		"broker-pause": {"broker-pause", "broker-restart", "broker-stop"},
	} {
		a := s.inject(t, first, "broker 1", nil)
		was, calls := s.state(t, 1), s.cluster.called()
		for _, second := range then {
			b, err := s.try(t.Context(), t, second, "broker 1", nil)
			require.ErrorContains(t, err, "broker 1 is "+string(was), "%s on top of %s", second, first)
			require.ErrorContains(t, err, "another fault has it")
			require.NoError(t, b.Heal(t.Context()))
			assert.Equal(t, was, s.state(t, 1), "%s on top of %s", second, first)
		}
		assert.Equal(t, calls, s.cluster.called())
		require.NoError(t, a.Heal(t.Context()))
		s.allRun(t)
	}
}

// A roll that comes to a broker which another fault has says so at its heal, and starts no broker that it has not stopped.
func TestARollDoesNotTakeWhatAnotherFaultHas(t *testing.T) {
	s := newStage(t)
	kill := s.inject(t, "broker-kill", "broker 2", nil)
	roll := s.inject(t, "rolling-restart", "broker 2", map[string]any{"pace": "none"})
	require.ErrorContains(t, awaitEnd(t, roll), "broker 2 is stopped, not running")
	assert.Equal(t, harness.NodeStopped, s.state(t, 2))
	require.NoError(t, kill.Heal(t.Context()))
	s.allRun(t)
}

// awaitEnd waits for the end of a fault's work, and heals it.
func awaitEnd(t *testing.T, i harness.Injection) error {
	t.Helper()
	i.(*inject.Injection).Wait()
	return i.Heal(t.Context())
}

// Faults of every sort at once, injected and healed in any order: at the end all is as it was.
func TestFaultsOfAllSortsHealInAnyOrder(t *testing.T) {
	s := newStage(t)
	sorts := []struct {
		fault, target string
		options       map[string]any
	}{
		{"partition", "broker 1", nil},
		{"latency", "all brokers", map[string]any{"links": []any{"client", "replication"}}},
		{"refuse", "worker 0", nil},
		{"refuse", "broker 1", nil},
		{"broker-pause", "broker 1", nil},
		{"broker-kill", "all brokers", nil},
		{"worker-scale", "worker 0", nil},
		{"worker-pause", "worker 0", nil},
		{"worker-stop", "worker 1", nil},
		{"worker-kill", "all workers", nil},
		{"request-hold", "all brokers", map[string]any{"apis": "EndTxn"}},
		{"response-drop", "worker 1", map[string]any{"apis": "Produce"}},
		{"topic-config", "topic output", nil},
		{"topic-config", "topic output", map[string]any{"set": map[string]any{"min.insync.replicas": "3"}}},
	}
	for seed := range uint64(6) {
		draw := rand.New(rand.NewPCG(seed, 0))
		var active []harness.Injection
		for _, one := range sorts { // in this order: what is dead can't be paused
			if draw.IntN(4) > 0 {
				active = append(active, s.inject(t, one.fault, one.target, one.options))
			}
		}
		draw.Shuffle(len(active), func(a, b int) { active[a], active[b] = active[b], active[a] })
		for _, i := range active {
			require.NoError(t, i.Heal(t.Context()), "seed %d", seed)
		}
		for _, i := range active {
			_, err := i.(*inject.Injection).CheckHeal(t.Context())
			require.NoError(t, err, "seed %d", seed)
			i.Proofs(t.Context()) // has the toxics forget the rules
		}
		s.whole(t)
	}
}

// whole asserts that nothing is left of any fault, and no claim either.
func (s *stage) whole(t *testing.T) {
	t.Helper()
	require.Empty(t, s.cluster.toxicsLeft(t))
	var proxies []string
	for _, l := range s.cluster.links {
		proxies = append(proxies, l.Proxy)
	}
	require.NoError(t, listening(t.Context(), s.Field, proxies))
	assertForgotten(t, s)
	s.allRun(t)
	s.ledAsAtFirst(t)
	for _, m := range s.fleet.Members() {
		want := harness.MemberRunning
		if m.Number >= 2 { // it was added for a time
			want = harness.MemberDead
		}
		require.Equal(t, want, m.State, m.Name)
		require.Empty(t, m.WaitingAt, m.Name)
	}
	for _, topic := range target.TopicsOf(s.Plan) {
		own, err := admin.DescribeSetting(t.Context(), s.Field, []int{1}, admin.Resource{Kind: kmsg.ConfigResourceTypeTopic, Name: topic}, "min.insync.replicas")
		require.NoError(t, err)
		require.Nil(t, admin.OwnValue(admin.Resource{Kind: kmsg.ConfigResourceTypeTopic, Name: topic}, own), topic)
	}
	require.Empty(t, s.Claims.Held(), "claims are left")
}
