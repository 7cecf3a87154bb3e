package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTopologyOfThree(t *testing.T) {
	var three Topology
	require.NoError(t, three.Check())
	require.Equal(t, []int{1, 2, 3}, three.Nodes())
	require.Equal(t, three.Nodes(), three.Voters())
	require.Equal(t, three.Nodes(), three.BrokerIDs())
	require.Nil(t, three.ControllerIDs())
	require.Len(t, three.NodeLinks(), 3+6+6)
	require.Equal(t, "3 brokers", three.String())
}

func TestSeparateControllers(t *testing.T) {
	top := Topology{Brokers: 5, Controllers: 3, Racks: []string{"a", "b"}}
	require.NoError(t, top.Check())
	require.Equal(t, []int{6, 7, 8}, top.Voters())
	kinds := map[LinkKind]int{}
	for _, l := range top.NodeLinks() {
		kinds[l.Kind]++
		if l.Kind != QuorumLink {
			require.True(t, top.IsBroker(l.To), l.Proxy)
		}
	}
	require.Equal(t, map[LinkKind]int{ClientLink: 5, ReplicationLink: 5 * 4, QuorumLink: 5*3 + 3*2}, kinds)
	require.Equal(t, []string{"a", "b", "a", "b", "a", ""},
		[]string{top.Rack(1), top.Rack(2), top.Rack(3), top.Rack(4), top.Rack(5), top.Rack(6)})
	require.Equal(t, "5 brokers, 3 controllers, racks a b", top.String())
}

func TestReplicasSpreadOverRacks(t *testing.T) {
	rack := Topology{Brokers: 5, Racks: []string{"a", "a", "b", "b", "c"}}.Rack
	require.Equal(t, []int{1, 3, 5}, replicas([]int{1, 2, 3, 4, 5}, 0, rack))
	require.Equal(t, []int{4, 5, 1}, replicas([]int{1, 2, 3, 4, 5}, 3, rack))
	two := Topology{Racks: []string{"a", "b"}}.Rack
	require.Equal(t, []int{1, 2, 3}, replicas([]int{1, 2, 3}, 0, two), "fewer racks than replicas")
	require.Equal(t, []int{3, 1, 2}, replicas([]int{1, 2, 3}, 2, Topology{}.Rack))
}

func TestPlanWithSeparateControllers(t *testing.T) {
	exp := Experiment{Cluster: ClusterNeeds{Partitions: 3, MinISR: 2, Topology: Topology{Controllers: 1}}}
	plan := planTopics("x", exp, nil, []int{1, 2, 3}, 4)
	require.Equal(t, map[int32][]int{0: {1, 2, 3}, 1: {2, 3, 1}, 2: {3, 1, 2}}, plan.Replicas, "no replica on the controller")
}

func TestImpossibleTopologies(t *testing.T) {
	for want, top := range map[string]Topology{
		"3 to 9 brokers, not 2": {Brokers: 2}, "not 10": {Brokers: 10}, "not -1": {Brokers: -1},
		"not 2": {Controllers: 2}, "not -3": {Controllers: -3}, "4 racks for 3 brokers": {Racks: []string{"a", "b", "c", "d"}},
		`"a b" can't name a rack`: {Racks: []string{"a b"}},
	} {
		require.ErrorContains(t, top.Check(), want)
	}
}
