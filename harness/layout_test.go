package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Values of Java's String.hashCode, as jshell prints them.
func TestJavaHash(t *testing.T) {
	require.Equal(t, int32(0), javaHash(""))
	require.Equal(t, int32(97), javaHash("a"))
	require.Equal(t, int32(96354), javaHash("abc"))
	require.Equal(t, int32(-1361644819), javaHash("chaeos"), "overflows as Java's int does")
}

func testInfos() []PipelineInfo {
	return []PipelineInfo{
		{Name: "acks1", ProducerOnly: true},
		{Name: "idempotent"},
		{Name: "transactional", Transactional: true},
	}
}

func testExperiment() Experiment {
	e := Experiment{Name: "x", Workers: 2}
	e.Cluster.Partitions, e.Cluster.MinISR = 3, 2
	return e
}

func TestLeadersAvoidTheController(t *testing.T) {
	for controller := 1; controller <= 3; controller++ {
		plan := planTopics("run", testExperiment(), testInfos(), []int{1, 2, 3}, controller)
		require.NotEqual(t, controller, plan.Replicas[0][0], "leader of partition 0")
		require.NotEqual(t, controller, plan.Replicas[coordinatorPartition][0], "leader of the coordinators' partition")
		require.NotEqual(t, plan.Replicas[0][0], plan.Replicas[coordinatorPartition][0])
		for p := range int32(3) {
			require.ElementsMatch(t, []int{1, 2, 3}, plan.Replicas[p])
		}
	}
}

func TestPipelinesShareInputAndCoordinators(t *testing.T) {
	plan := planTopics("run", testExperiment(), testInfos(), []int{1, 2, 3}, 1)
	idempotent, err := plan.Pipeline("idempotent")
	require.NoError(t, err)
	transactional, err := plan.Pipeline("transactional")
	require.NoError(t, err)
	acks1, err := plan.Pipeline("acks1")
	require.NoError(t, err)
	require.Equal(t, SharedSource, idempotent.Source)
	require.Equal(t, idempotent.Source, transactional.Source)
	require.NotEqual(t, SharedSource, acks1.Source, "a producer under test has a source of its own")
	require.Empty(t, acks1.Group)
	require.Len(t, transactional.TransactionalIDs, 2)
	ids := append([]string{idempotent.Group, transactional.Group}, transactional.TransactionalIDs...)
	for _, id := range ids {
		require.EqualValues(t, coordinatorPartition, (javaHash(id)&0x7fffffff)%InternalPartitions, id)
	}
	_, err = plan.Pipeline("nonsense")
	require.ErrorContains(t, err, "nonsense")
}
