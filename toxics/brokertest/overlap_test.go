package brokertest

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// status is how a broker's process is.
func (s *stage) status(t *testing.T, node int) harness.NodeStatus {
	t.Helper()
	nodes, err := s.cluster.Status(t.Context())
	require.NoError(t, err)
	return nodes[node-1]
}

// connect dials a broker over a client's link, and says nothing.
func (s *stage) connect(t *testing.T, client string, node int) net.Conn {
	t.Helper()
	for _, l := range s.cluster.Links() {
		if l.Kind == harness.ClientLink && l.From == client && l.To == node {
			conn, err := net.Dial("tcp", l.Listen)
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			return conn
		}
	}
	require.Fail(t, "no link of "+client)
	return nil
}

// ends returns when the other side of a connection was seen to end.
func ends(t *testing.T, conn net.Conn) time.Time {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(30*time.Second)))
	_, err := conn.Read(make([]byte, 1))
	require.False(t, err == nil || errors.Is(err, os.ErrDeadlineExceeded), "it never ended: %v", err)
	return time.Now()
}

// TestARestartIsNoticedLateBehindASlowClose: a broker's clients learn at once that it has gone, but for the one whose link
// holds the end back. The broker is killed once more before the first fault is healed, and stays dead as long as that
// lasts.
func TestARestartIsNoticedLateBehindASlowClose(t *testing.T) {
	s := newStage(t)
	s.Observer = unseen{} // a fault takes effect only where records are in flight
	names := s.Fleet.(fleet).names
	const delay = 3 * time.Second
	slow := s.inject(t, "slow-close", "worker 0", map[string]any{"delay": delay.String(), "direction": "to", "from": "broker 1"})
	late, soon := s.connect(t, names[0], 1), s.connect(t, names[1], 1)
	before, other := s.status(t, 1), s.status(t, 2)
	begin := time.Now()
	restart := s.inject(t, "broker-restart", "broker 1", map[string]any{"how": "kill"})
	after := s.status(t, 1)
	assert.Equal(t, harness.NodeRunning, after.State)
	assert.NotEqual(t, before.Pid, after.Pid, "another process")
	assert.Equal(t, other, s.status(t, 2), "broker 2 is left alone")
	assert.Less(t, ends(t, soon).Sub(begin), delay, "others learn it at once")
	assert.GreaterOrEqual(t, ends(t, late).Sub(begin), delay)
	assert.True(t, s.progresses(t, 1, 10*time.Second), "clients of broker 2 are left alone")

	kill := s.inject(t, "broker-kill", "broker 1", nil)
	undo(t, restart)
	assert.Equal(t, harness.NodeStopped, s.status(t, 1).State, "the kill lasts")
	_, err := s.try(t, "broker-pause", "broker 1", nil)
	require.ErrorContains(t, err, "broker 1 is stopped, not running: another fault has it")
	undo(t, slow)
	s.heal(t, kill)
	for fault, proof := range map[harness.Injection]string{restart: "broker 1 runs", kill: "broker 1 runs", slow: "no toxic left on 1 links"} {
		checkHeal(t, fault, proof)
	}
	assert.Regexp(t, `^\d+ connections? ended late on `+names[0], onlyProof(t, slow).Text)
	assert.Contains(t, onlyProof(t, restart).Text, "restarted broker 1, which led output/0")
	for _, fault := range []harness.Injection{slow, restart} {
		t.Log(onlyProof(t, fault).Text, "|", effectOf(fault))
		assert.True(t, onlyProof(t, fault).TookEffect)
	}
	assert.True(t, s.progresses(t, 0, 20*time.Second), "healed")
	s.electPreferred(t)
}

// TestAPausedBrokerIsKilled: healed first, the kill leaves the broker as the pause wants it.
func TestAPausedBrokerIsKilled(t *testing.T) {
	s := newStage(t)
	pause := s.inject(t, "broker-pause", "broker 2", nil)
	kill := s.inject(t, "broker-kill", "broker 2", nil)
	undo(t, kill)
	assert.Equal(t, harness.NodePaused, s.status(t, 2).State, "it came back, and is paused as before")
	s.heal(t, pause)
	checkHeal(t, kill, "broker 2 runs")
	assert.True(t, s.progresses(t, 1, 20*time.Second))
	s.electPreferred(t)
}

// TestFaultsOfEverySortOverlap on the same broker, and heal in an order that is drawn: each has its effect until its own
// heal, whatever was healed before.
func TestFaultsOfEverySortOverlap(t *testing.T) {
	s, client := newWireStage(t)
	topic := s.own(t)
	held := make(chan error, 1)
	const delay = 150 * time.Millisecond
	faults := map[string]harness.Injection{
		"link":    s.inject(t, "latency", "worker 1", map[string]any{"latency": delay.String(), "direction": "from"}),
		"cut":     s.inject(t, "partition", "worker 2", map[string]any{"links": "client"}),
		"request": s.inject(t, "request-hold", member, map[string]any{"topic": topic, "times": 0}),
		"process": s.inject(t, "broker-pause", "broker 1", nil),
		"setting": s.inject(t, "topic-config", "topic output", map[string]any{"set": map[string]any{"retention.ms": "60000"}}),
	}
	go func() { // partition 1 is led by broker 2
		held <- client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Partition: 1, Value: []byte("held")}).FirstErr()
	}()
	s.awaitWaiting(t)
	effects := map[string]func() bool{ // whether each has its effect
		"link":    func() bool { return s.fastest(t, 1, 500*time.Millisecond) >= delay },
		"cut":     func() bool { return !s.progresses(t, 2, 500*time.Millisecond) },
		"request": func() bool { return len(held) == 0 },
		"process": func() bool { return s.status(t, 1).State == harness.NodePaused },
		"setting": func() bool {
			return s.config(t, kmsg.ConfigResourceTypeTopic, s.Plan.Pipelines[0].Output, "retention.ms") == "60000"
		},
	}
	order := []string{"link", "cut", "request", "process", "setting"}
	seed := uint64(time.Now().UnixNano())
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	t.Log("seed", seed, "heals", order)
	for at, healed := range order {
		for _, active := range order[at:] {
			assert.True(t, effects[active](), "%s has its effect until it is healed", active)
		}
		undo(t, faults[healed])
	}
	require.NoError(t, <-held)
	for name, i := range faults {
		proof := onlyProof(t, i)
		t.Log(name, "|", proof.Text)
		assert.True(t, proof.TookEffect, name)
	}
	s.heal(t, faults["process"])
	s.passes(t)
	for p := range s.producers {
		assert.True(t, s.progresses(t, p, 20*time.Second), "producer %d", p)
	}
	s.electPreferred(t)
}
