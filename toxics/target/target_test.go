package target

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// planned is a run of two pipelines: p reads and writes transactionally with two workers, q only produces.
var planned = harness.TopicPlan{
	Input: "in", Partitions: 3, MinISR: 2, Controller: 3,
	Pipelines: []harness.PipelineLayout{
		{
			PipelineInfo: harness.PipelineInfo{Name: "p", Transactional: true},
			Output:       "out-p", Group: "group-p", TransactionalIDs: []string{"txn-p-0", "txn-p-1"},
		},
		{PipelineInfo: harness.PipelineInfo{Name: "q", ProducerOnly: true}, Output: "out-q"},
	},
}

var scopeOfPlan = harness.Scope{
	Pipelines: []harness.PipelineInfo{planned.Pipelines[0].PipelineInfo, planned.Pipelines[1].PipelineInfo},
	Brokers:   3, Partitions: 3, Workers: 2,
}

var workers = []harness.Member{
	{Name: "p-0", Role: "worker", Pipeline: "p", State: harness.MemberRunning, Partitions: []int32{0, 2}},
	{Name: "p-1", Role: "worker", Pipeline: "p", Number: 1, State: harness.MemberRunning, Partitions: []int32{1}},
	{Name: "q-source", Role: "source", Pipeline: "q", State: harness.MemberRunning},
}

// at is a hand-made view: brokers 1 to 3, partition p led by broker p+1, broker 3 the controller.
func at() View {
	state := func(leader int32, others ...int32) ask.PartitionState {
		return ask.PartitionState{Leader: int(leader), ISR: append(others, leader), Replicas: append([]int32{leader}, others...)}
	}
	topic := func() map[int32]ask.PartitionState {
		return map[int32]ask.PartitionState{0: state(1, 3, 2), 1: state(2, 3, 1), 2: state(3, 1, 2)}
	}
	return View{
		plan: planned, Nodes: []int{1, 2, 3}, Controller: 3, groups: map[string]int{"p": 2}, transactions: map[string]int{"p": 1},
		Topics: map[string]map[int32]ask.PartitionState{"in": topic(), "out-p": topic(), "out-q": topic()},
	}
}

func TestTargetsSelect(t *testing.T) {
	for selector, want := range map[string][]int{
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
		parsed, err := Parse(selector)
		require.NoError(t, err, selector)
		require.NoError(t, parsed.Check(scopeOfPlan), selector)
		found, err := parsed.FindBrokers(at())
		require.NoError(t, err, selector)
		assert.Equal(t, want, found, selector)
	}
}

func TestCompoundTargetsSelect(t *testing.T) {
	for selector, want := range map[string][]int{
		"not controller": {1, 2},
		"not the active controller, not broker 1":    {2},
		"broker 3 and leader of output/0":            {1, 3},
		"all brokers, not leader of output/1":        {1, 3},
		"random broker, not controller":              {2}, // draw 1 of [1 2]
		"random broker":                              {2},
		"leader of output/0 and controller":          {1, 3},
		"coordinator of group p, not the controller": {2},
	} {
		parsed, err := Parse(selector)
		require.NoError(t, err, selector)
		require.NoError(t, parsed.Check(scopeOfPlan), selector)
		v := at()
		v.draw = 1
		found, err := parsed.FindBrokers(v)
		require.NoError(t, err, selector)
		assert.Equal(t, want, found, selector)
	}
	for selector, want := range map[string]string{
		"controller, not broker 3":        "there is none now",
		"out-of-sync replica of output/0": "every replica is in sync now",
		"broker 1, not worker 1":          `"broker 1" selects brokers, and "worker 1" selects workers`,
		"not partition output/0":          "say which",
		"random broker and broker 1":      "a random choice can only be alone",
		"broker 1, not random broker":     "a random choice can only be alone",
		"broker 1, not leader of outptu":  "did you mean leader of TOPIC/PARTITION",
		"broker 1 and broker 9":           "brokers go from 1 to 3",
	} {
		parsed, err := Parse(selector)
		if err == nil {
			err = parsed.Check(scopeOfPlan)
		}
		if err == nil {
			_, err = parsed.FindBrokers(at())
		}
		require.ErrorContains(t, err, want, selector)
	}
}

// TestOlderWordsForAnOwner: schedules that were written with them go on working.
func TestOlderWordsForAnOwner(t *testing.T) {
	for _, text := range []string{
		"owner of output/1", "owner of input/1", "holder of output/1", "holder of input/1",
		"the worker that owns partition 1", "the worker that holds partition 1",
	} {
		parsed, err := Parse(text)
		require.NoError(t, err, text)
		found, err := parsed.workersNow(workers)
		require.NoError(t, err, text)
		assert.Equal(t, []string{"p-1"}, found, text)
	}
	assert.Contains(t, Forms(), "owner of output/PARTITION")
	assert.NotContains(t, strings.Join(Forms(), " "), "hold", "one way is shown")
}

func TestReplicasThatFellBehind(t *testing.T) {
	v := at()
	s := v.Topics["out-p"][0]
	s.ISR = []int32{1, 2}
	v.Topics["out-p"][0] = s
	parsed, err := Parse("out-of-sync replica of output/0")
	require.NoError(t, err)
	found, err := parsed.FindBrokers(v)
	require.NoError(t, err)
	assert.Equal(t, []int{3}, found)
}

func TestCompoundTargetsOfWorkersAndPartitions(t *testing.T) {
	for selector, want := range map[string][]string{
		"all workers":                    {"p-0", "p-1"},
		"not owner of output/1":          {"p-0"},
		"all workers, not worker 0":      {"p-1"},
		"random worker":                  {"p-1"}, // draw 1 of two
		"worker 0 and owner of output/1": {"p-0", "p-1"},
		"random worker, not worker 1":    {"p-0"},
	} {
		parsed, err := Parse(selector)
		require.NoError(t, err, selector)
		parsed.draw = 1
		found, err := parsed.workersNow(workers)
		require.NoError(t, err, selector)
		assert.Equal(t, want, found, selector)
	}
	for selector, want := range map[string][]ask.TopicPartition{
		"partition output/1":                  {{Topic: "out-p", Partition: 1}, {Topic: "out-q", Partition: 1}},
		"topic p, not partition p/1":          {{Topic: "out-p", Partition: 0}, {Topic: "out-p", Partition: 2}},
		"partition input/0 and partition q/2": {{Topic: "in", Partition: 0}, {Topic: "out-q", Partition: 2}},
	} {
		parsed, err := Parse(selector)
		require.NoError(t, err, selector)
		found, err := parsed.FindPartitions(at())
		require.NoError(t, err, selector)
		assert.Equal(t, want, found, selector)
	}
}

func TestTargetsThatDontExistAreErrors(t *testing.T) {
	broken := at()
	broken.Topics = map[string]map[int32]ask.PartitionState{"out-p": {0: {Leader: -1}}}
	broken.groups, broken.controllerErr = nil, errors.New("no leader")
	for selector, want := range map[string]string{
		"leader of output/0":     "no leader now",
		"leader of output/7":     "no such partition",
		"coordinator of group":   "no pipeline of the run has a group",
		"coordinator of group q": "pipeline q has no group",
		"controller":             "no leader",
		"broker 4":               "the cluster has brokers [1 2 3]",
	} {
		parsed, err := Parse(selector)
		require.NoError(t, err, selector)
		_, err = parsed.FindBrokers(broken)
		require.ErrorContains(t, err, want, selector)
	}
}

func TestTargetsThatMakeNoSense(t *testing.T) {
	_, err := Parse("leder of output/0")
	require.ErrorContains(t, err, `"leder of output/0" is no target; did you mean leader of TOPIC/PARTITION`)
	_, err = Parse("everything")
	require.ErrorContains(t, err, "targets are: leader of TOPIC/PARTITION; follower of TOPIC/PARTITION; out-of-sync replica")
	for selector, want := range map[string]string{
		"leader of output/3":                "partitions go from 0 to 2",
		"owner of output/99999999999":       "partitions go from 0 to 2",
		"leader of outptu/0":                "the topic is output, input, a pipeline of the experiment, or internal",
		"coordinator of group absent":       `the experiment has no pipeline "absent"`,
		"broker 0":                          "brokers go from 1 to 3",
		"worker 2":                          "workers go from 0 to 1",
		"coordinator of transactional id x": `the experiment has no pipeline "x"`,
	} {
		parsed, err := Parse(selector)
		require.NoError(t, err, selector)
		require.ErrorContains(t, parsed.Check(scopeOfPlan), want, selector)
	}
}

func TestPipelinesThatPartedFollowTheMajority(t *testing.T) {
	v := at()
	v.plan.Pipelines = append(slices.Clone(v.plan.Pipelines), harness.PipelineLayout{
		PipelineInfo: harness.PipelineInfo{Name: "r"}, Output: "out-r",
	})
	v.Topics["out-r"] = map[int32]ask.PartitionState{0: {Leader: 3}}
	parsed, err := Parse("leader of output/0")
	require.NoError(t, err)
	found, err := parsed.FindBrokers(v)
	require.NoError(t, err)
	assert.Equal(t, []int{1}, found)
}

func TestLookAtABroker(t *testing.T) {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(3, "in", "out-p", "out-q"))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	require.NoError(t, kafka.MoveTopicPartition("out-p", 0, 1))
	admin, err := kgo.NewClient(kgo.SeedBrokers(kafka.ListenAddrs()...), kgo.AlwaysRetryEOF())
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	require.NoError(t, admin.Ping(t.Context()))
	v, err := Look(t.Context(), &harness.Field{Cluster: nodes{list: []int{0, 1, 2}}, Admin: admin, Plan: planned})
	require.NoError(t, err)
	assert.Equal(t, 1, v.Topics["out-p"][0].Leader)
	assert.EqualValues(t, kafka.CoordinatorFor("group-p"), v.groups["p"])
	assert.EqualValues(t, kafka.CoordinatorFor("txn-p-0"), v.transactions["p"])
	assert.NotContains(t, v.groups, "q")
}

// nodes is a cluster of which only the brokers' numbers are known.
type nodes struct {
	harness.Cluster
	list []int
}

func (n nodes) Info() harness.ClusterInfo { return harness.ClusterInfo{Nodes: n.list} }

func TestLinksOfControllersConcernEveryPipeline(t *testing.T) {
	v := View{Nodes: []int{1, 2, 3}, Controller: 4}
	link := Stream{Link: harness.Link{Kind: harness.QuorumLink, From: "1", To: 4}}
	l := harness.PipelineLayout{Output: "out"}
	assert.True(t, Found{View: v, Brokers: []int{4}}.Matters(link, l, nil), "a cut quorum link of a separate controller")
	assert.False(t, Found{View: v, Brokers: []int{1}}.Matters(link, l, nil), "of a broker that leads nothing of it")
}
