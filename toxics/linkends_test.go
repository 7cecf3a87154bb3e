package toxics

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/inject"
)

func (c *fakeCluster) link(t *testing.T, proxy string) harness.Link {
	t.Helper()
	for _, l := range c.links {
		if l.Proxy == proxy {
			return l
		}
	}
	require.Fail(t, "no link "+proxy)
	return harness.Link{}
}

// healed heals, and asserts the proof of the heal.
func healed(t *testing.T, i harness.Injection, proof string) {
	t.Helper()
	require.NoError(t, i.Heal(t.Context()))
	got, err := i.(*inject.Injection).CheckHeal(t.Context())
	require.NoError(t, err)
	assert.Equal(t, proof, got)
}

func TestNarrowLinksHaveABacklog(t *testing.T) {
	s := newStage(t)
	narrow := s.inject(t, "bandwidth", "worker 0", map[string]any{"rate": 1, "from": "broker 2"})
	wide := s.inject(t, "bandwidth", "worker 1", map[string]any{"rate": 1000})
	assert.ElementsMatch(t, []string{"p-0-2-client"}, narrow.Resolved().Links)
	conn, err := net.Dial("tcp", s.cluster.link(t, "p-0-2-client").Listen)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	const burst = 20_000 // passes in twenty seconds
	_, err = conn.Write(make([]byte, burst))
	require.NoError(t, err)
	s.cluster.bytes["p-0-2-client"].upIn.Add(burst)
	looks := s.cluster.looks.Load()
	await(t, "both faults have looked", func() bool { return s.cluster.looks.Load() >= looks+6 })
	healed(t, narrow, "no toxic left on 1 links")
	healed(t, wide, "no toxic left on 3 links")
	assert.Empty(t, s.cluster.toxicsLeft(t))
	proof := proofOf(t, narrow, "p")
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Regexp(t, `^[\d.]+ k?B waiting at one time on p-0-2-client$`, proof.Text)
	assert.False(t, proofOf(t, narrow, "q").TookEffect)
	assert.False(t, proofOf(t, wide, "p").TookEffect, "as much as was offered passed")
}

func TestResetsEndConnections(t *testing.T) {
	s := newStage(t)
	before := s.bytes(t)
	i := s.inject(t, "reset", "broker 1", map[string]any{"direction": "to"})
	s.awaitBytes(t, "p-0-1-client", func(b harness.LinkBytes) bool { return b.UpstreamEnded > before["p-0-1-client"].UpstreamEnded })
	healed(t, i, "no toxic left on 4 links")
	proof := proofOf(t, i, "p")
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Regexp(t, `^\d+ connections? ended on p-`, proof.Text)
	s.awaitPassing(t, "p-0-1-client")
}

func TestRefusedLinksListenAgainWhateverHealsLast(t *testing.T) {
	s := newStage(t)
	link := s.cluster.link(t, "p-0-1-client")
	before := s.bytes(t)
	a := s.inject(t, "refuse", "broker 1", nil)
	b := s.inject(t, "refuse", "worker 0", nil)
	_, err := net.Dial("tcp", link.Listen)
	require.ErrorContains(t, err, "refused")
	conn, err := net.Dial("tcp", s.cluster.link(t, "p-1-2-client").Listen)
	require.NoError(t, err, "others are left alone")
	_ = conn.Close()
	for _, ended := range []string{"p-0-2-client", "q-source-1-client"} {
		s.awaitBytes(t, ended, func(b harness.LinkBytes) bool { return b.UpstreamEnded > before[ended].UpstreamEnded })
	}
	healed(t, a, "4 links listen")
	_, err = net.Dial("tcp", link.Listen)
	require.ErrorContains(t, err, "refused", "the other fault still wants it closed")
	healed(t, b, "3 links listen")
	conn, err = net.Dial("tcp", link.Listen)
	require.NoError(t, err)
	_ = conn.Close()
	assert.True(t, proofOf(t, a, "q").TookEffect)
	assert.True(t, proofOf(t, b, "p").TookEffect, proofOf(t, b, "p").Text)
	assert.Regexp(t, `^\d+ connections? ended and refused on p-0-`, proofOf(t, b, "p").Text)
}

func TestRefuseUnderACancelledContextLeavesNothing(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	fault, err := New("refuse", nil)
	require.NoError(t, err)
	i, err := fault.Inject(ctx, s.Field, "broker 1")
	require.NoError(t, err)
	cancel()
	require.NoError(t, i.Heal(ctx))
	_, err = i.(*inject.Injection).CheckHeal(t.Context())
	require.NoError(t, err)
}

// A peer that leaves is missed only after the delay.
func TestSlowCloseHoldsTheEndBack(t *testing.T) {
	s := newStage(t)
	quiet := s.inject(t, "slow-close", "worker 1", nil)
	i := s.inject(t, "slow-close", "worker 0", map[string]any{"delay": "500ms", "direction": "from"})
	link := s.cluster.link(t, "p-0-2-client")
	conn, err := net.Dial("tcp", link.Listen)
	require.NoError(t, err)
	begin := time.Now()
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	_, err = conn.Read(make([]byte, 1)) // the echo server ends when it sees the end
	require.ErrorIs(t, err, io.EOF)
	assert.GreaterOrEqual(t, time.Since(begin), 450*time.Millisecond, "the broker's end is held back")
	s.cluster.bytes[link.Proxy].ended.Add(1) // as the proxies' owner counts it
	healed(t, i, "no toxic left on 3 links")
	healed(t, quiet, "no toxic left on 3 links")
	assert.Equal(t, "1 connection ended late on p-0-2-client", proofOf(t, i, "p").Text)
	assert.Equal(t, "nothing ended late", proofOf(t, quiet, "p").Text)
	assert.False(t, proofOf(t, quiet, "p").TookEffect)
}
