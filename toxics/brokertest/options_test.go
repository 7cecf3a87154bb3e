package brokertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// groupState is what a coordinator says about a group.
type groupState struct {
	// protocol is who runs it: its members ("classic") or the brokers ("consumer", KIP-848).
	protocol, assignor, state string
	// instances are the members' group.instance.ids, sorted; "" for a member without one.
	instances []string
}

// optioned are the ways to be a member of a group, each by a pipeline of its own, and what the coordinator must say about it.
var optioned = map[string]struct {
	options            map[string]string
	protocol, assignor string
	static             bool
}{
	"commit-after":     {nil, "classic", "cooperative-sticky", false},
	"idempotent":       {map[string]string{"assignment": "eager"}, "classic", "sticky", false},
	"auto-commit-sync": {map[string]string{"static-membership": "true"}, "classic", "cooperative-sticky", true},
	"commit-first":     {map[string]string{"group-protocol": "consumer"}, "consumer", "uniform", false},
	"transactional": {
		map[string]string{"group-protocol": "consumer", "static-membership": "true"}, "consumer", "uniform", true,
	},
}

// staticSession is how long a dead member keeps its partitions from others: longer than a restart takes.
const staticSession = 15 * time.Second

// TestGroupOptionsReachTheBrokers: the coordinators say who assigns and how, and whose membership outlives a restart, while
// the workers run.
func TestGroupOptionsReachTheBrokers(t *testing.T) {
	exp := harness.Experiment{
		Pipelines: slices.Sorted(maps.Keys(optioned)), Workers: 2, Shared: harness.DefaultShared(),
		Load:    harness.Load{Rate: 100, RecordSize: 100},
		Options: map[string]map[string]string{},
	}
	exp.Shared.SessionTimeout = staticSession
	for name, o := range optioned {
		exp.Options[name] = o.options
	}
	s := startWorkers(t, exp)
	for name, want := range optioned {
		t.Run(name, func(t *testing.T) {
			got := s.awaitStable(t, name)
			assert.Equal(t, want.protocol, got.protocol)
			assert.Equal(t, want.assignor, got.assignor)
			assert.Equal(t, instancesOf(name, want.static), got.instances)
		})
	}
	t.Run("a restarted static member is the same one", func(t *testing.T) { s.restartStatic(t, "auto-commit-sync") })
	assert.Empty(t, s.Fleet.(harness.Lifecycle).Incidents())
}

// instancesOf are the group.instance.ids of a pipeline's two workers.
func instancesOf(pipeline string, static bool) []string {
	if !static {
		return []string{"", ""}
	}
	return []string{pipeline + "-0", pipeline + "-1"}
}

// restartStatic kills a worker and starts it again: before its session is over it has its partitions back, and the
// group has no third member.
func (s *stage) restartStatic(t *testing.T, pipeline string) {
	t.Helper()
	name := pipeline + "-0"
	before := s.member(t, name).Partitions
	require.NotEmpty(t, before)
	ctx, cancel := context.WithTimeout(t.Context(), staticSession*2/3)
	defer cancel()
	require.NoError(t, s.Fleet.Kill(ctx, name))
	require.NoError(t, s.Fleet.Restart(ctx, name))
	require.NoError(t, wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		return slices.Equal(before, s.member(t, name).Partitions), nil
	}), "no other member gets them before its session is over")
	assert.Equal(t, instancesOf(pipeline, true), s.awaitStable(t, pipeline).instances)
}

// awaitStable asks for a pipeline's group until it is at rest.
func (s *stage) awaitStable(t *testing.T, pipeline string) groupState {
	t.Helper()
	l, err := s.Plan.Pipeline(pipeline)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var got groupState
	require.NoError(t, wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		got, err = describeGroup(ctx, s.Admin, l.Group)
		return err == nil && got.state == "Stable", nil
	}), "%+v, %v", got, err)
	return got
}

// describeGroup asks as for a group that the brokers run, and, where it is none, as for one that its members run: brokers
// answer each for their own kind only (KIP-848, KIP-1043).
func describeGroup(ctx context.Context, client *kgo.Client, group string) (groupState, error) {
	if got, err := describeConsumer(ctx, client, group); err == nil {
		return got, nil
	}
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{group}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return groupState{}, fmt.Errorf("describe group %s: %w", group, err)
	}
	if len(resp.Groups) != 1 {
		return groupState{}, fmt.Errorf("describe group %s: %d answers", group, len(resp.Groups))
	}
	g := resp.Groups[0]
	if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
		return groupState{}, fmt.Errorf("describe group %s: %w", group, err)
	}
	got := groupState{protocol: "classic", assignor: g.Protocol, state: g.State}
	for _, m := range g.Members {
		got.instances = append(got.instances, text(m.InstanceID))
	}
	slices.Sort(got.instances)
	return got, nil
}

func describeConsumer(ctx context.Context, client *kgo.Client, group string) (groupState, error) {
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = []string{group}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return groupState{}, fmt.Errorf("describe consumer group %s: %w", group, err)
	}
	if len(resp.Groups) != 1 {
		return groupState{}, fmt.Errorf("describe consumer group %s: %d answers", group, len(resp.Groups))
	}
	g := resp.Groups[0]
	if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
		return groupState{}, fmt.Errorf("describe consumer group %s: %w", group, err)
	}
	got := groupState{protocol: "consumer", assignor: g.AssignorName, state: g.State}
	for _, m := range g.Members {
		got.instances = append(got.instances, text(m.InstanceID))
	}
	slices.Sort(got.instances)
	return got, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
