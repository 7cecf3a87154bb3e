package toxics

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/toxics/target"
)

// serviceStage is a stage with an external service that pipeline e calls: its process, its link and its store.
func serviceStage(t *testing.T) (*stage, *effects.Store) {
	t.Helper()
	s := newStage(t)
	s.Dir = t.TempDir()
	store, err := effects.Create(effects.Path(s.Dir))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s.cluster.addLink(t, harness.Link{Kind: harness.ServiceLink, Proxy: harness.ServiceProxy})
	s.fleet.members[target.ServiceMember] = &harness.Member{Name: target.ServiceMember, Role: "service", State: harness.MemberRunning}
	s.Plan.Pipelines = append(slices.Clone(s.Plan.Pipelines), harness.PipelineLayout{
		PipelineInfo: harness.PipelineInfo{Name: "e", Effects: true}, Output: "effects-e", Group: "group-e",
	})
	return s, store
}

func (s *stage) injectService(t *testing.T, name string, options map[string]any) harness.Injection {
	t.Helper()
	scope := testScope
	scope.Pipelines = append(slices.Clone(scope.Pipelines), s.Plan.Pipelines[2].PipelineInfo)
	fault, err := New(name, options)
	require.NoError(t, err)
	require.NoError(t, Check(name, fault, "external service", scope))
	i, err := fault.Inject(t.Context(), s.Field, "external service")
	require.NoError(t, err)
	return i
}

// TestAnswersOfTheServiceAreLost: its link is cut in one direction, and what it was asked still arrives.
func TestAnswersOfTheServiceAreLost(t *testing.T) {
	s, _ := serviceStage(t)
	i := s.injectService(t, "partition", map[string]any{"links": "service", "direction": "from"})
	assert.Equal(t, []string{"service timeout downstream"}, s.cluster.toxicsLeft(t))
	before := s.bytes(t)[harness.ServiceProxy].UpstreamOut
	s.awaitBytes(t, harness.ServiceProxy, func(b harness.LinkBytes) bool {
		return b.UpstreamOut >= before+rounds*chunk && b.DownstreamIn > b.DownstreamOut
	})
	healed(t, i, "no toxic left on 1 links")
	proof := proofOf(t, i, "e")
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Regexp(t, `^[\d.]+ k?B cut on service$`, proof.Text)
	assert.False(t, proofOf(t, i, "p").TookEffect, "it calls no service")
	assert.Empty(t, s.cluster.toxicsLeft(t))
}

func TestTheServicesLinkIsSlowAndRefuses(t *testing.T) {
	s, _ := serviceStage(t)
	slow := s.injectService(t, "latency", map[string]any{"links": "service", "latency": "300ms", "direction": "from"})
	listen := s.cluster.link(t, harness.ServiceProxy).Listen
	conn, err := net.Dial("tcp", listen)
	require.NoError(t, err)
	begin := time.Now()
	_, err = conn.Write(make([]byte, 64)) // less than a frame's header would wait
	require.NoError(t, err)
	_, err = io.ReadFull(conn, make([]byte, 1))
	require.NoError(t, err)
	assert.Greater(t, time.Since(begin), 300*time.Millisecond)
	_ = conn.Close()
	s.awaitPassing(t, harness.ServiceProxy) // what others sent arrives late, too
	healed(t, slow, "no toxic left on 1 links")
	assert.True(t, proofOf(t, slow, "e").TookEffect)

	refused := s.injectService(t, "refuse", map[string]any{"links": "service"})
	_, err = net.Dial("tcp", listen)
	require.ErrorContains(t, err, "refused")
	healed(t, refused, "1 links listen")
	conn, err = net.Dial("tcp", listen)
	require.NoError(t, err)
	_ = conn.Close()
}

func TestTheServicesLinkIsItsOwn(t *testing.T) {
	calls := testScope
	calls.Pipelines = append(slices.Clone(calls.Pipelines), harness.PipelineInfo{Name: "e", Effects: true})
	for name, c := range map[string]struct {
		target  string
		options map[string]any
		scope   harness.Scope
		want    string
	}{
		"other links": {"external service", nil, calls, `links: "external service" has one link only: links: service`},
		"both":        {"external service", map[string]any{"links": []any{"client", "service"}}, calls, "has one link only"},
		"a broker's":  {"broker 1", map[string]any{"links": "service"}, calls, `is the link of the target "external service"`},
		"a worker's":  {"worker 0", map[string]any{"links": "service"}, calls, `is the link of the target "external service"`},
		"from a few":  {"external service", map[string]any{"links": "service", "from": "worker 0"}, calls, "from: all workers call"},
		"no caller":   {"external service", map[string]any{"links": "service"}, testScope, "no pipeline of the experiment calls"},
	} {
		t.Run(name, func(t *testing.T) {
			fault, err := New("latency", c.options)
			require.NoError(t, err)
			require.ErrorContains(t, Check("latency", fault, c.target, c.scope), c.want)
		})
	}
	fault, err := New("latency", map[string]any{"links": "service"})
	require.NoError(t, err)
	assert.Contains(t, fault.Needs(), harness.CanService, "where the service has no link, preflight says so")
}

// TestAServiceThatFailsIsProvedByItsStore: it counts the calls that it was made not to confirm.
func TestAServiceThatFailsIsProvedByItsStore(t *testing.T) {
	for how, calls := range map[string][]string{
		"hang":  {"arm stored service", "release service"},
		"error": {"arm failing service", "release service"},
		"die":   {"arm stored service", "kill service", "restart service"},
	} {
		t.Run(how, func(t *testing.T) {
			s, store := serviceStage(t)
			require.NoError(t, store.Unconfirmed("e")) // of another time
			i := s.injectService(t, "service-fail", map[string]any{"how": how})
			require.NoError(t, store.Unconfirmed("e"))
			require.NoError(t, store.Unconfirmed("e"))
			require.NoError(t, i.Heal(t.Context()))
			require.NoError(t, store.Unconfirmed("e"))
			assert.Equal(t, calls, s.fleet.called())
			proof := proofOf(t, i, "e")
			assert.True(t, proof.TookEffect)
			assert.Contains(t, proof.Text, "2 calls taken and not confirmed")
			assert.False(t, proofOf(t, i, "p").TookEffect)
		})
	}
	s, _ := serviceStage(t)
	i := s.injectService(t, "service-fail", map[string]any{"how": "error"})
	require.NoError(t, i.Heal(t.Context()))
	assert.False(t, proofOf(t, i, "e").TookEffect, "no call meanwhile")
}

// TestAServiceThatForgetsIsProvedByItsStore: it counts the keys that it has lost.
func TestAServiceThatForgetsIsProvedByItsStore(t *testing.T) {
	s, store := serviceStage(t)
	for _, key := range []string{"a", "b", "c"} {
		_, err := store.Accept("e", 0, key, []byte("x"))
		require.NoError(t, err)
	}
	i := s.injectService(t, "service-fail", map[string]any{"how": "forget"})
	require.NoError(t, store.Forget()) // what the service does once it is armed
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, []string{"arm forgetting service", "release service"}, s.fleet.called())
	proof := proofOf(t, i, "e")
	assert.True(t, proof.TookEffect)
	assert.Equal(t, "3 keys forgotten", proof.Text)
	assert.False(t, proofOf(t, i, "p").TookEffect)
}
