package workloads

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/worker"
)

// TestOptionsReachTheGroup: the coordinator says who assigns and how, and which members have a name of their own. On real
// brokers: toxics/brokertest.
func TestOptionsReachTheGroup(t *testing.T) {
	for pipeline, c := range map[string]struct {
		options            map[string]string
		protocol, assignor string
		instances          []string
	}{
		"commit-after": {nil, "classic", "cooperative-sticky", []string{"", ""}},
		"idempotent":   {map[string]string{worker.OptionAssignment: "eager"}, "classic", "sticky", []string{"", ""}},
		"commit-first": {map[string]string{worker.OptionProtocol: "consumer"}, "consumer", "uniform", []string{"", ""}},
		"transactional": {
			map[string]string{worker.OptionProtocol: "consumer", worker.OptionStatic: "true"}, "consumer", "uniform",
			[]string{"transactional-0", "transactional-1"},
		},
	} {
		t.Run(pipeline, func(t *testing.T) {
			t.Parallel()
			r := optionedRig(t, 2, pipeline, c.options, testShared().SessionTimeout)
			protocol, assignor, instances := r.group(pipeline)
			require.Equal(t, c.protocol, protocol)
			require.Equal(t, c.assignor, assignor)
			require.Equal(t, c.instances, instances)
		})
	}
}

// TestAStaticMemberThatComesBackIsTheSame: it has its partitions again before its session would have ended, and
// there is no third member meanwhile.
func TestAStaticMemberThatComesBackIsTheSame(t *testing.T) {
	t.Parallel()
	const pipeline, name = "auto-commit-sync", "auto-commit-sync-0"
	const session = 4 * time.Minute
	r := optionedRig(t, 2, pipeline, map[string]string{worker.OptionStatic: "true"}, session)
	before := r.partitionsOf(name)
	require.NotEmpty(t, before)
	require.NoError(t, r.Kill(soon(t), name))
	require.Empty(t, r.partitionsOf(name))
	require.NoError(t, r.Restart(soon(t), name))
	require.NoError(t, wait.Poll(soon(t), 20*time.Millisecond, func() (bool, error) {
		return slices.Equal(before, r.partitionsOf(name)), nil
	}))
	_, _, instances := r.group(pipeline)
	require.Equal(t, []string{"auto-commit-sync-0", "auto-commit-sync-1"}, instances)
}

// TestEachRevocationIsNoticed, also those that a transaction session does not tell of: two between two transactions.
func TestEachRevocationIsNoticed(t *testing.T) {
	t.Parallel()
	const pipeline, name = "transactional", "transactional-0"
	r := optionedRig(t, 1, pipeline, nil, 30*time.Second)
	for held := partitions; held > 0; held-- { // one comes more each time, and takes one of them away
		require.NoError(t, wait.Poll(soon(t), 20*time.Millisecond, func() (bool, error) {
			return len(r.partitionsOf(name)) == held, nil
		}), "%d partitions with %d members", held, partitions-held+1)
		other, err := kgo.NewClient(kgo.SeedBrokers(r.kfake.ListenAddrs()...), kgo.ConsumeTopics("in"),
			kgo.ConsumerGroup("group-"+pipeline), kgo.Balancers(kgo.CooperativeStickyBalancer()))
		require.NoError(t, err)
		t.Cleanup(other.Close)
	}
}

// optionedRig starts workers of a pipeline with options, each missed once it was silent for a session.
func optionedRig(t *testing.T, workers int, pipeline string, options map[string]string, session time.Duration) *rig {
	t.Helper()
	shared := testShared()
	shared.SessionTimeout = session
	r := setup{workers: workers, load: testLoad(), shared: shared, options: options}.rig(t, pipeline)
	require.NoError(t, r.Start(soon(t)))
	return r
}

func (r *rig) partitionsOf(member string) []int32 {
	for _, m := range r.Members() {
		if m.Name == member {
			return m.Partitions
		}
	}
	return nil
}

// group asks for a pipeline's group: who runs it (consumer: the brokers), what assigns, and its members'
// group.instance.ids, sorted.
func (r *rig) group(pipeline string) (protocol, assignor string, instances []string) {
	r.t.Helper()
	consumer := kmsg.NewPtrConsumerGroupDescribeRequest()
	consumer.Groups = []string{"group-" + pipeline}
	run, err := consumer.RequestWith(soon(r.t), r.admin)
	require.NoError(r.t, err)
	if g := run.Groups[0]; g.ErrorCode == 0 {
		for _, m := range g.Members {
			instances = append(instances, instanceText(m.InstanceID))
		}
		slices.Sort(instances)
		return "consumer", g.AssignorName, instances
	}
	classic := kmsg.NewPtrDescribeGroupsRequest()
	classic.Groups = consumer.Groups
	own, err := classic.RequestWith(soon(r.t), r.admin)
	require.NoError(r.t, err)
	require.Zero(r.t, own.Groups[0].ErrorCode)
	for _, m := range own.Groups[0].Members {
		instances = append(instances, instanceText(m.InstanceID))
	}
	slices.Sort(instances)
	return "classic", own.Groups[0].Protocol, instances
}

func instanceText(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}
