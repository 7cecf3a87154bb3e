package toxics

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

func TestRegistryIsSortedAndUnique(t *testing.T) {
	names := Names()
	assert.True(t, slices.IsSorted(names), names)
	assert.Len(t, slices.Compact(slices.Clone(names)), len(names))
	for _, k := range All() {
		assert.NotEmpty(t, k.About, k.Name)
		assert.NotZero(t, k.Hits, k.Name)
		assert.True(t, slices.IsSortedFunc(k.Options, func(a, b options.Info) int {
			return slices.Compare([]byte(a.Name), []byte(b.Name))
		}), k.Name)
		fault, err := New(k.Name, nil)
		require.NoError(t, err, "every option has a default")
		assert.NotNil(t, fault)
	}
	_, err := New("meteor", nil)
	require.ErrorContains(t, err, strings.Join(names, ", "))
}

func TestARandomTargetIsTheSameForTheSameSeed(t *testing.T) {
	var drawn []string
	for range 2 {
		s := newStage(t)
		for range 4 {
			i := s.inject(t, "broker-pause", "random broker", nil)
			drawn = append(drawn, i.Resolved().Text)
			require.NoError(t, i.Heal(t.Context()))
		}
	}
	assert.Equal(t, drawn[:4], drawn[4:])
	assert.Greater(t, len(slices.Compact(slices.Sorted(slices.Values(drawn)))), 1, "and not always the same one")
}

func TestOptionsThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		fault   string
		options map[string]any
		want    string
	}{
		{"latency", map[string]any{"latency": "5 parsecs"}, "latency: expected a duration from 1ms to 1m0s"},
		{"latency", map[string]any{"latency": uint64(5)}, "expected a duration like 200ms, not 5"},
		{"latency", map[string]any{"links": []any{"cable"}}, "expected a list of client, replication, quorum, service, not cable"},
		{"latency", map[string]any{"links": []any{}}, "expected at least one of"},
		{"latency", map[string]any{"direction": "up"}, "expected one of both, to, from"},
		{"latency", map[string]any{"jitter": "1s"}, "latency takes direction, from, latency, links"},
		{"partition", map[string]any{"from": "mars"}, `"mars" is no target`},
		{"broker-kill", map[string]any{"restart": "never"}, "broker-kill takes no options"},
		{"worker-kill", map[string]any{"held": "many"}, "expected a whole number"},
		{"worker-kill", map[string]any{"phase": []any{1}}, "expected a word, or a mapping"},
		{"worker-kill", map[string]any{"restart": "later"}, "expected one of heal, never"},
	} {
		_, err := New(c.fault, c.options)
		require.ErrorContains(t, err, c.want)
		var option *options.Error
		require.ErrorAs(t, err, &option)
	}
}

func TestWorkerKillChecksPhases(t *testing.T) {
	for want, phase := range map[string]any{
		`no pipeline "z"`:                    map[string]any{"z": "flushed", "p": "flushed"},
		`pipeline p has no phase "dreaming"`: "dreaming",
		`pipeline p has no phase ""`:         map[string]any{"q": "flushed"},
		`(one of flushed, committed)`:        "polled",
	} {
		fault, err := New("worker-kill", map[string]any{"phase": phase})
		require.NoError(t, err)
		require.ErrorContains(t, Check("worker-kill", fault, "worker 0", testScope), want)
	}
}

func TestLinksThatDoNotExist(t *testing.T) {
	for _, c := range []struct {
		target  string
		options map[string]any
		want    string
	}{
		{"worker 0", nil, `links: "worker 0" has client links only`},
		{"all brokers", nil, "links: all brokers leave no broker to be cut off from"},
		{"broker 1", map[string]any{"from": "worker 1"}, `links: "worker 1" has client links only`},
		{"broker 1", map[string]any{"from": "broker 7"}, `from: "broker 7": brokers go from 1 to 3`},
		{"worker 0", map[string]any{"from": "worker 1", "links": "client"}, "workers have no links to each other"},
	} {
		fault, err := New("partition", c.options)
		require.NoError(t, err)
		require.ErrorContains(t, Check("partition", fault, c.target, testScope), c.want)
	}
}

func TestOutages(t *testing.T) {
	kill, _ := New("broker-kill", nil)
	replication, _ := New("partition", map[string]any{"links": "replication"})
	quorum, _ := New("partition", nil)
	assert.Equal(t, target.Outage{Nodes: []int{2}}, OutageOf(kill, "broker 2"))
	assert.Equal(t, target.Outage{Found: true, Controller: true}, OutageOf(quorum, "controller"))
	assert.Equal(t, target.Outage{Found: true}, OutageOf(kill, "leader of output/0"))
	assert.Equal(t, target.Outage{All: true}, OutageOf(kill, "all brokers"))
	assert.Zero(t, OutageOf(replication, "controller"))
	paced, _ := New("rolling-restart", nil)
	unpaced, _ := New("rolling-restart", map[string]any{"pace": "none"})
	assert.Equal(t, target.Outage{Found: true}, OutageOf(paced, "all brokers"), "the next only when the last is back")
	assert.Equal(t, target.Outage{All: true}, OutageOf(unpaced, "all brokers"))
	assert.Equal(t, target.Outage{All: true}, OutageOf(kill, "not broker 1"), "all but one, at the worst")
	assert.Equal(t, target.Outage{Found: true}, OutageOf(kill, "random broker, not controller"))
	assert.Equal(t, target.Outage{Nodes: []int{1, 2}}, OutageOf(kill, "broker 1 and broker 2"))
}

func TestFaultsHitWhatTheyAreFor(t *testing.T) {
	kill, err := New("broker-kill", nil)
	require.NoError(t, err)
	require.ErrorContains(t, Check("broker-kill", kill, "worker 1", testScope), `broker-kill hits brokers; "worker 1" selects workers`)
}

// TestWhichFaultsSayMore: what a fault may say besides what it must is found by its methods' names, so a misspelt one would be
// lost in silence.
func TestWhichFaultsSayMore(t *testing.T) {
	checks := []string{
		"add-partitions", "bandwidth", "connection-cut", "latency", "leader-move", "partition", "refuse", "request-delay", "request-drop",
		"request-hold", "reset", "response-delay", "response-drop", "response-hold", "service-fail", "slow-close", "source-kill",
		"topic-config", "worker-kill",
	}
	quorum := []string{
		"broker-kill", "broker-pause", "broker-restart", "broker-stop", "broker-wipe", "partition", "power-loss", "refuse", "reset",
		"rolling-restart",
	}
	for _, kind := range All() {
		fault, err := New(kind.Name, nil)
		require.NoError(t, err)
		if slices.Contains(checks, kind.Name) {
			assert.Implements(t, (*interface {
				Check(harness.Scope, target.Target) error
			})(nil), fault, kind.Name)
		}
		if slices.Contains(quorum, kind.Name) {
			assert.Implements(t, (*kit.QuorumFault)(nil), fault, kind.Name)
		}
	}
}
