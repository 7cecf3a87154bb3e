package brokertest

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

// leaders asks broker 3 who leads the output's partitions.
func (s *stage) leaders(t *testing.T) map[int32]int {
	t.Helper()
	return s.leadersOf(t, s.Plan.Pipelines[0].Output)
}

func (s *stage) leadersOf(t *testing.T, topic string) map[int32]int {
	t.Helper()
	md, err := ask.Of(s.Admin, 3).Metadata(t.Context(), topic)
	require.NoError(t, err)
	leaders := map[int32]int{}
	for p, state := range md.Topics[topic] {
		leaders[p] = state.Leader
	}
	return leaders
}

var asCreated = map[int32]int{0: 1, 1: 2, 2: 3}

// checkHeal asserts what a fault says about its heal.
func checkHeal(t *testing.T, i harness.Injection, proof string) {
	t.Helper()
	got, err := i.(interface {
		CheckHeal(context.Context) (string, error)
	}).CheckHeal(t.Context())
	require.NoError(t, err)
	assert.Contains(t, got, proof)
}

func lastingOf(i harness.Injection) []harness.Lasting {
	return i.(interface{ Lasting() []harness.Lasting }).Lasting()
}

func TestLeadersMove(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "leader-move", "partition output/0", map[string]any{"to": "broker 3"})
	s.comesToLead(t, map[int32]int{0: 3, 1: 2, 2: 3}) // the others are left alone
	assert.True(t, s.progresses(t, 0, 10*time.Second))
	storm := s.inject(t, "leader-storm", "topic output", map[string]any{"interval": "200ms"})
	require.NoError(t, wait.Sleep(t.Context(), 3*time.Second))
	require.NoError(t, i.Heal(t.Context()), "healed while the storm goes on")
	s.heal(t, storm)
	s.comesToLead(t, asCreated) // whichever heals last puts back what was there first
	for _, healed := range []harness.Injection{i, storm} {
		checkHeal(t, healed, "have a leader that all brokers agree on")
		proof := onlyProof(t, healed)
		assert.True(t, proof.TookEffect, proof.Text)
		t.Log(healed.Resolved().Text, "|", proof.Text, "|", effectOf(healed))
	}
	assert.Contains(t, onlyProof(t, i).Text, "leader of output/0: 1 -> 3, seen after ")
	assert.Regexp(t, `^\d\d+ leader moves of its partitions$`, onlyProof(t, storm).Text, "ten or more in three seconds")
	assert.True(t, s.progresses(t, 0, 10*time.Second))

	i = s.inject(t, "leader-move", "partition output/1", nil)
	again := s.inject(t, "preferred-election", "topic output", nil)
	assert.Equal(t, "every partition of it had its preferred leader", onlyProof(t, again).Text, "a move makes its leader the preferred one")
	s.heal(t, i)
	s.comesToLead(t, asCreated)
}

func TestSettingsAreChangedAndPutBackInAnyOrder(t *testing.T) {
	s := newStage(t)
	topic := s.Plan.Pipelines[0].Output
	const name = "min.insync.replicas"
	a := s.inject(t, "topic-config", "topic output", map[string]any{"set": map[string]any{name: uint64(1)}})
	s.comesToSay(t, kmsg.ConfigResourceTypeTopic, topic, name, "1")
	b := s.inject(t, "topic-config", "topic output", map[string]any{"set": map[string]any{name: "3", "retention.ms": "60000"}})
	s.comesToSay(t, kmsg.ConfigResourceTypeTopic, topic, name, "3")
	s.comesToSay(t, kmsg.ConfigResourceTypeTopic, s.Plan.Input, name, "2") // other topics are left alone
	undo(t, a)
	s.comesToSay(t, kmsg.ConfigResourceTypeTopic, topic, name, "3") // the fault that is still active has its way
	undo(t, b)
	s.comesToSay(t, kmsg.ConfigResourceTypeTopic, topic, name, "2")
	checkHeal(t, a, "settings as before")
	checkHeal(t, b, "settings as before")
	assert.Equal(t, "output: min.insync.replicas 2 -> 1", onlyProof(t, a).Text)

	c := s.inject(t, "broker-config", "broker 2", map[string]any{"set": map[string]any{"num.replica.fetchers": uint64(2)}})
	s.comesToSay(t, kmsg.ConfigResourceTypeBroker, "2", "num.replica.fetchers", "2")
	s.heal(t, c)
	s.comesToSay(t, kmsg.ConfigResourceTypeBroker, "2", "num.replica.fetchers", "1")
	// Whether it also coordinates the stage's group and transactions is the hash of their names.
	assert.Regexp(t, `changed broker 2, which led output/1(, coordinated its group)?(, coordinated its transactions)? \(num\.replica\.fetchers 1 -> 2\)`, onlyProof(t, c).Text)
}

// heardWithin is how long the metadata log may take to reach the broker that is asked.
const heardWithin = 10 * time.Second

// comesToSay waits until a broker shows a setting: the change reaches each broker in its own time.
func (s *stage) comesToSay(t *testing.T, kind kmsg.ConfigResourceType, resource, name, want string) {
	t.Helper()
	assert.Eventually(t, func() bool { return s.config(t, kind, resource, name) == want }, heardWithin, 50*time.Millisecond,
		"%s of %s never became %s", name, resource, want)
}

// comesToLead waits until the brokers say that these are the leaders.
func (s *stage) comesToLead(t *testing.T, want map[int32]int) {
	t.Helper()
	assert.Eventually(t, func() bool { return maps.Equal(s.leaders(t), want) }, heardWithin, 50*time.Millisecond, "never led by %v", want)
}

// config asks a broker what a setting is.
func (s *stage) config(t *testing.T, kind kmsg.ConfigResourceType, resource, name string) string {
	t.Helper()
	req := kmsg.NewPtrDescribeConfigsRequest()
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName, r.ConfigNames = kind, resource, []string{name}
	req.Resources = append(req.Resources, r)
	resp, err := ask.First[*kmsg.DescribeConfigsResponse](t.Context(), ask.Of(s.Admin, 2), req)
	require.NoError(t, err)
	found := resp.Resources
	require.Len(t, found, 1)
	require.NoError(t, kerr.ErrorForCode(found[0].ErrorCode))
	require.Len(t, found[0].Configs, 1)
	return *found[0].Configs[0].Value
}

func TestOffsetsOfAnEmptyGroupGo(t *testing.T) {
	s := newStage(t)
	group := s.Plan.Pipelines[0].Group
	for _, c := range []struct {
		fault   string
		options map[string]any
	}{
		{"offsets-delete", nil}, {"offsets-delete", map[string]any{"how": "expire"}}, {"group-delete", nil},
	} {
		s.commit(t, group, 42)
		i := s.inject(t, c.fault, "group", c.options)
		assert.Equal(t, []int64{-1, -1, -1}, s.offsets(t, group, coordinator(t, s, 0, group)), c)
		s.heal(t, i)
		proof := onlyProof(t, i)
		assert.True(t, proof.TookEffect, proof.Text)
		assert.Equal(t, "committed offsets gone: input/0 42, input/1 42, input/2 42", proof.Text)
		require.Len(t, lastingOf(i), 3)
		assert.Equal(t, harness.Lasting{
			What: harness.OffsetDeleted, Topic: s.Plan.Input, Partition: 2, Group: s.Plan.Pipelines[0].Group, From: 42, To: -1,
		}, lastingOf(i)[2])
	}
}

// commit commits the same offset for every input partition, as an administrator does for an empty group.
func (s *stage) commit(t *testing.T, group string, offset int64) {
	t.Helper()
	node := coordinator(t, s, 0, group)
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = group, -1
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic = s.Plan.Input
	for p := range int32(partitions) {
		part := kmsg.NewOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset = p, offset
		topic.Partitions = append(topic.Partitions, part)
	}
	req.Topics = append(req.Topics, topic)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) { // a new coordinator loads first
		resp, err := ask.First[*kmsg.OffsetCommitResponse](ctx, ask.Of(s.Admin, node), ask.Pin(req, 9))
		if err != nil {
			return false, err
		}
		return resp.Topics[0].Partitions[0].ErrorCode == 0, nil
	}))
}

// offsets is what a group has committed, by partition, -1 for nothing.
func (s *stage) offsets(t *testing.T, group string, coordinator int) []int64 {
	t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	topic := kmsg.NewOffsetFetchRequestGroupTopic()
	topic.Topic, topic.Partitions = s.Plan.Input, []int32{0, 1, 2}
	g.Topics = append(g.Topics, topic)
	req.Groups = append(req.Groups, g)
	resp, err := ask.First[*kmsg.OffsetFetchResponse](t.Context(), ask.Of(s.Admin, coordinator), ask.Pin(req, 9))
	require.NoError(t, err)
	var offsets []int64
	for _, p := range resp.Groups[0].Topics[0].Partitions {
		offsets = append(offsets, p.Offset)
	}
	return offsets
}

func TestUncleanElection(t *testing.T) {
	s := newStage(t)
	b := s.bystander(t, 2, 3)
	one := s.inject(t, "topic-config", "topic output", nil) // min.insync.replicas 1: no ELR keeps the others eligible
	other := s.inject(t, "topic-config", "topic input", nil)
	cut := s.inject(t, "partition", "broker 1", map[string]any{"links": "replication"})
	writer := s.client(t, s.Plan.Input+"-writer", kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite())
	record := &kgo.Record{Topic: s.Plan.Input, Value: []byte("what the followers lack")}
	require.NoError(t, writer.ProduceSync(within(t, 20*time.Second), record).FirstErr())
	s.awaitISR(t, s.Plan.Pipelines[0].Output, 0, 1)
	s.awaitISR(t, s.Plan.Input, 0, 1)
	kill := s.inject(t, "broker-kill", "broker 1", nil)
	i := s.inject(t, "unclean-election", "partition output/0", map[string]any{"within": "40s"})
	leader := s.leaders(t)[0]
	assert.Contains(t, []int{2, 3}, leader)
	require.NoError(t, wait.Sleep(t.Context(), 500*time.Millisecond))
	assert.Equal(t, -1, s.leadersOf(t, s.Plan.Input)[0], "another topic's partition without a leader waits for broker 1")
	b.leftAlone(t, "while output/0 has an unclean leader")
	undo(t, kill)
	undo(t, cut)
	undo(t, one)
	undo(t, other)
	s.heal(t, i)
	b.leftAlone(t, "after that")
	b.ends(t)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Equal(t, fmt.Sprintf("output/0 was given leader %d, and only [1] lacked nothing", leader), proof.Text)
	require.Len(t, lastingOf(i), 1)
	assert.Equal(t, harness.UncleanLeader, lastingOf(i)[0].What)
	checkHeal(t, i, "its partitions have leaders")
	s.electPreferred(t)
}

// awaitISR waits until only the given broker is in sync in a partition.
func (s *stage) awaitISR(t *testing.T, topic string, partition int32, only int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		md, err := ask.Of(s.Admin, 3).Metadata(ctx, topic)
		if err != nil {
			return false, nil
		}
		isr := md.Topics[topic][partition].ISR
		return len(isr) == 1 && isr[0] == only, nil
	}), "the followers of %s/%d must leave the ISR", topic, partition)
}
