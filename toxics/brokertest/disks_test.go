package brokertest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

func TestBrokerStopHandsOverFirst(t *testing.T) {
	s := newStage(t)
	s.Observer = unseen{} // a fault takes effect only where records are in flight
	begin := time.Now()
	i := s.inject(t, "broker-stop", "leader of output/0", nil)
	require.NotZero(t, s.newLeader(t, 0, 1, 3*time.Second), "its leaders moved before it ended")
	took := time.Since(begin)
	assert.True(t, s.progresses(t, 1, 10*time.Second))
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Contains(t, proof.Text, "shut down broker 1, which led output/0")
	checkHeal(t, i, "broker 1 runs")
	t.Log(took, proof.Text, effectOf(i))
}

func TestRollingRestartPacedByISR(t *testing.T) {
	s := newStage(t)
	b := s.bystander(t, 1)
	i := s.inject(t, "rolling-restart", "not broker 1", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
	defer cancel()
	begin := time.Now()
	atOnce := 0
	require.NoError(t, wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		nodes, err := s.cluster.Status(ctx)
		down := 0
		for _, n := range nodes {
			if n.State == harness.NodeStopped {
				down++
			}
		}
		atOnce = max(atOnce, down)
		return effectOf(i) == "2 of 2 brokers restarted", err
	}))
	t.Log("rolled in", time.Since(begin))
	assert.LessOrEqual(t, atOnce, 1, "never two at once")
	b.leftAlone(t, "while the others were restarted")
	s.heal(t, i)
	b.leftAlone(t, "after that")
	b.ends(t)
	for _, broker := range []string{"broker 2", "broker 3"} {
		assert.Contains(t, onlyProof(t, i).Text, "restarted "+broker)
	}
	s.electPreferred(t)
}

func TestAWipedBrokerCopiesEverythingAgain(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "broker-wipe", "broker 2", nil)
	data := filepath.Join(s.cluster.Info().DataDir, "node-2", "data")
	files, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Len(t, files, 2, "meta.properties and bootstrap.checkpoint")
	assert.True(t, s.progresses(t, 0, 10*time.Second), "clients of broker 1 are left alone")
	begin := time.Now()
	s.heal(t, i) // awaits that every replica is in sync
	t.Log("in sync again after", time.Since(begin), onlyProof(t, i).Text)
	assert.True(t, onlyProof(t, i).TookEffect)
	log, err := os.Stat(filepath.Join(data, s.Plan.Pipelines[0].Output+"-0", "00000000000000000000.log"))
	require.NoError(t, err)
	assert.Positive(t, log.Size())
	s.electPreferred(t)
}

func TestPowerLoss(t *testing.T) {
	s := newStage(t)
	for _, options := range []map[string]any{{"writeback": "3s"}, {"mode": "checkpoint"}} {
		before := s.end(t, 0)
		i := s.inject(t, "power-loss", "all brokers", options)
		nodes, err := s.cluster.Status(t.Context())
		require.NoError(t, err)
		for _, n := range nodes {
			assert.Equal(t, harness.NodeStopped, n.State)
		}
		s.heal(t, i)
		proof := onlyProof(t, i)
		t.Log(options, proof.Text, lastingOf(i))
		require.True(t, proof.TookEffect, proof.Text)
		after := s.end(t, 0)
		lost := map[int]harness.Lasting{}
		for _, l := range lastingOf(i) {
			require.Equal(t, harness.LogWasCut, l.What)
			require.Less(t, l.To, l.From)
			if l.Topic == s.Plan.Pipelines[0].Output && l.Partition == 0 {
				lost[l.Node] = l
			}
		}
		require.Len(t, lost, 3, "every replica of output/0 lost what was acknowledged last")
		if options["mode"] == nil {
			assert.GreaterOrEqual(t, lost[1].To, before, "what was there a writeback time ago is safe")
			assert.Greater(t, lost[1].From, lost[1].To+20)
		} else {
			assert.Less(t, lost[1].To, before)
		}
		t.Log("output/0 ended at", before, "before, at", lost[1].From, "when the power went, and at", after, "after")
		assert.True(t, s.progresses(t, 0, 20*time.Second))
	}
	s.electPreferred(t)
}

// electPreferred elects until every output partition is led as it was created: a broker that has just come back may not be
// a candidate yet.
func (s *stage) electPreferred(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 300*time.Millisecond, func() (bool, error) {
		s.inject(t, "preferred-election", "topic output", nil)
		return maps.Equal(asCreated, s.leaders(t)), nil
	}))
}

// end asks an output partition's leader for the end of its log.
func (s *stage) end(t *testing.T, partition int32) int64 { return s.offset(t, partition, -1) }

// offset asks an output partition's leader for the offset of a timestamp: -1 is the log's end, -2 its start.
func (s *stage) offset(t *testing.T, partition int32, timestamp int64) int64 {
	t.Helper()
	req := kmsg.NewPtrListOffsetsRequest()
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic = s.Plan.Pipelines[0].Output
	part := kmsg.NewListOffsetsRequestTopicPartition()
	part.Partition, part.Timestamp, part.CurrentLeaderEpoch = partition, timestamp, -1
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(t.Context(), s.Admin)
	require.NoError(t, err)
	require.Zero(t, resp.Topics[0].Partitions[0].ErrorCode)
	return resp.Topics[0].Partitions[0].Offset
}
