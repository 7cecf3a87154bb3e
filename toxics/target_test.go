package toxics

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
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

// at is a hand-made view: brokers 1 to 3, partition p led by broker p+1, broker 3 the controller.
func at() view {
	state := func(leader int32, others ...int32) harness.PartitionState {
		return harness.PartitionState{Leader: int(leader), ISR: append(others, leader), Replicas: append([]int32{leader}, others...)}
	}
	topic := func() map[int32]harness.PartitionState {
		return map[int32]harness.PartitionState{0: state(1, 3, 2), 1: state(2, 3, 1), 2: state(3, 1, 2)}
	}
	return view{
		plan: testPlan, nodes: []int{1, 2, 3}, controller: 3, groups: map[string]int{"p": 2}, transactions: map[string]int{"p": 1},
		topics: map[string]map[int32]harness.PartitionState{"in": topic(), "out-p": topic(), "out-q": topic()},
	}
}

func TestTargetsSelect(t *testing.T) {
	for target, want := range map[string][]int{
		"leader of output/1":                {2},
		"leader of input/2":                 {3},
		"leader of q/0":                     {1},
		"follower of output/0":              {2}, // broker 3 is first in assignment order, but the controller
		"follower of output/2":              {1},
		"controller":                        {3},
		"coordinator of group":              {2},
		"coordinator of group p":            {2},
		"coordinator of transactional id":   {1},
		"coordinator of transactional id p": {1},
		"broker 2":                          {2},
		"all brokers":                       {1, 2, 3},
	} {
		parsed, err := ParseTarget(target)
		require.NoError(t, err, target)
		require.NoError(t, parsed.check(testScope), target)
		found, err := parsed.findBrokers(at())
		require.NoError(t, err, target)
		assert.Equal(t, want, found, target)
	}
}

func TestCompoundTargetsSelect(t *testing.T) {
	for target, want := range map[string][]int{
		"not controller": {1, 2},
		"not the active controller, not broker 1":    {2},
		"broker 3 and leader of output/0":            {1, 3},
		"all brokers, not leader of output/1":        {1, 3},
		"random broker, not controller":              {2}, // draw 1 of [1 2]
		"random broker":                              {2},
		"leader of output/0 and controller":          {1, 3},
		"coordinator of group p, not the controller": {2},
	} {
		parsed, err := ParseTarget(target)
		require.NoError(t, err, target)
		require.NoError(t, parsed.check(testScope), target)
		v := at()
		v.draw = 1
		found, err := parsed.findBrokers(v)
		require.NoError(t, err, target)
		assert.Equal(t, want, found, target)
	}
	for target, want := range map[string]string{
		"controller, not broker 3":        "there is none now",
		"out-of-sync replica of output/0": "every replica is in sync now",
		"broker 1, not worker 1":          `"broker 1" selects brokers, and "worker 1" selects workers`,
		"not partition output/0":          "say which",
		"random broker and broker 1":      "a random choice stands alone",
		"broker 1, not random broker":     "a random choice stands alone",
		"broker 1, not leader of outptu":  "did you mean leader of TOPIC/PARTITION",
		"broker 1 and broker 9":           "brokers go from 1 to 3",
	} {
		parsed, err := ParseTarget(target)
		if err == nil {
			err = parsed.check(testScope)
		}
		if err == nil {
			_, err = parsed.findBrokers(at())
		}
		require.ErrorContains(t, err, want, target)
	}
}

func TestReplicasThatFellBehind(t *testing.T) {
	v := at()
	s := v.topics["out-p"][0]
	s.ISR = []int32{1, 2}
	v.topics["out-p"][0] = s
	parsed, err := ParseTarget("out-of-sync replica of output/0")
	require.NoError(t, err)
	found, err := parsed.findBrokers(v)
	require.NoError(t, err)
	assert.Equal(t, []int{3}, found)
}

func TestCompoundTargetsOfWorkersAndPartitions(t *testing.T) {
	s := newStage(t)
	for target, want := range map[string][]string{
		"all workers":                     {"p-0", "p-1"},
		"not holder of output/1":          {"p-0"},
		"all workers, not worker 0":       {"p-1"},
		"random worker":                   {"p-1"}, // draw 1 of two
		"worker 0 and holder of output/1": {"p-0", "p-1"},
		"random worker, not worker 1":     {"p-0"},
	} {
		parsed, err := ParseTarget(target)
		require.NoError(t, err, target)
		parsed.draw = 1
		found, err := parsed.workersNow(s.fleet.Members())
		require.NoError(t, err, target)
		assert.Equal(t, want, found, target)
	}
	for target, want := range map[string][]place{
		"partition output/1":                  {{"out-p", 1}, {"out-q", 1}},
		"topic p, not partition p/1":          {{"out-p", 0}, {"out-p", 2}},
		"partition input/0 and partition q/2": {{"in", 0}, {"out-q", 2}},
	} {
		parsed, err := ParseTarget(target)
		require.NoError(t, err, target)
		found, err := parsed.findPlaces(at())
		require.NoError(t, err, target)
		assert.Equal(t, want, found, target)
	}
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

func TestTargetsThatDontExistAreErrors(t *testing.T) {
	broken := at()
	broken.topics = map[string]map[int32]harness.PartitionState{"out-p": {0: {Leader: -1}}}
	broken.groups, broken.controllerErr = nil, errors.New("no leader")
	for target, want := range map[string]string{
		"leader of output/0":     "no leader now",
		"leader of output/7":     "no such partition",
		"coordinator of group":   "no pipeline of the run has a group",
		"coordinator of group q": "pipeline q has no group",
		"controller":             "no leader",
		"broker 4":               "the cluster has brokers [1 2 3]",
	} {
		parsed, err := ParseTarget(target)
		require.NoError(t, err, target)
		_, err = parsed.findBrokers(broken)
		require.ErrorContains(t, err, want, target)
	}
}

func TestTargetsThatMakeNoSense(t *testing.T) {
	_, err := ParseTarget("leder of output/0")
	require.ErrorContains(t, err, `"leder of output/0" is no target; did you mean leader of TOPIC/PARTITION`)
	_, err = ParseTarget("everything")
	require.ErrorContains(t, err, "targets are: leader of TOPIC/PARTITION; follower of TOPIC/PARTITION; out-of-sync replica")
	for target, want := range map[string]string{
		"leader of output/3":                "partitions go from 0 to 2",
		"holder of output/99999999999":      "partitions go from 0 to 2",
		"leader of outptu/0":                "the topic is output, input, a pipeline of the experiment, or internal",
		"coordinator of group nobody":       `the experiment has no pipeline "nobody"`,
		"broker 0":                          "brokers go from 1 to 3",
		"worker 2":                          "workers go from 0 to 1",
		"coordinator of transactional id x": `the experiment has no pipeline "x"`,
	} {
		parsed, err := ParseTarget(target)
		require.NoError(t, err, target)
		require.ErrorContains(t, parsed.check(testScope), want, target)
	}
	kill, err := New("broker-kill", nil)
	require.NoError(t, err)
	require.ErrorContains(t, Check("broker-kill", kill, "worker 1", testScope), `broker-kill hits brokers; "worker 1" selects workers`)
}

func TestPipelinesThatPartedFollowTheMajority(t *testing.T) {
	v := at()
	v.plan.Pipelines = append(slices.Clone(v.plan.Pipelines), harness.PipelineLayout{
		PipelineInfo: harness.PipelineInfo{Name: "r"}, Output: "out-r",
	})
	v.topics["out-r"] = map[int32]harness.PartitionState{0: {Leader: 3}}
	parsed, err := ParseTarget("leader of output/0")
	require.NoError(t, err)
	found, err := parsed.findBrokers(v)
	require.NoError(t, err)
	assert.Equal(t, []int{1}, found)
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
		var option *OptionError
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

func TestLinksThatNobodyHas(t *testing.T) {
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
	assert.Equal(t, Outage{Nodes: []int{2}}, OutageOf(kill, "broker 2"))
	assert.Equal(t, Outage{Found: true, Controller: true}, OutageOf(quorum, "controller"))
	assert.Equal(t, Outage{Found: true}, OutageOf(kill, "leader of output/0"))
	assert.Equal(t, Outage{All: true}, OutageOf(kill, "all brokers"))
	assert.Zero(t, OutageOf(replication, "controller"))
	assert.Equal(t, Outage{All: true}, OutageOf(kill, "not broker 1"), "all but one, at the worst")
	assert.Equal(t, Outage{Found: true}, OutageOf(kill, "random broker, not controller"))
	assert.Equal(t, Outage{Nodes: []int{1, 2}}, OutageOf(kill, "broker 1 and broker 2"))
}

func TestLookAtABroker(t *testing.T) {
	s := newStage(t)
	v, err := look(t.Context(), s.Field)
	require.NoError(t, err)
	assert.Equal(t, 1, v.topics["out-p"][0].Leader)
	assert.EqualValues(t, s.kafka.CoordinatorFor("group-p"), v.groups["p"])
	assert.EqualValues(t, s.kafka.CoordinatorFor("txn-p-0"), v.transactions["p"])
	assert.NotContains(t, v.groups, "q")
}
