package brokertest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/wait"
)

// Each fault on client links is seen by the clients that use them, and by no others.
func TestFaultsOnClientLinks(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		fault, target string
		options       map[string]any
		proof, healed string
	}{
		{"refuse", "broker 1", nil, "connections? ended and refused on ", " links listen"},
		{"reset", "leader of output/0", map[string]any{"direction": "to"}, "connections? ended on ", "no toxic left on "},
		{"partition", "worker 0", map[string]any{"links": "client", "from": "broker 1"}, "cut on ", "no toxic left on 1 links"},
	} {
		i := s.inject(t, c.fault, c.target, c.options)
		assert.False(t, s.progresses(t, 0, 1500*time.Millisecond), c.fault)
		assert.True(t, s.progresses(t, 1, 10*time.Second), "%s: clients of broker 2 are left alone", c.fault)
		undo(t, i)
		checkHeal(t, i, c.healed)
		proof := onlyProof(t, i)
		assert.True(t, proof.TookEffect, proof.Text)
		assert.Regexp(t, c.proof, proof.Text)
		assert.True(t, s.progresses(t, 0, 20*time.Second), "%s: healed", c.fault)
		t.Log(c.fault, proof.Text)
	}
	slow := s.inject(t, "bandwidth", "worker 0", map[string]any{"rate": 1, "from": "broker 1", "direction": "to"})
	s.waits(t, slow.Resolved().Links[0])
	fast := s.fastest(t, 1, 2*time.Second)
	s.heal(t, slow)
	assert.Positive(t, fast)
	assert.True(t, onlyProof(t, slow).TookEffect, onlyProof(t, slow).Text)
	assert.True(t, s.progresses(t, 0, 20*time.Second))
	t.Log(onlyProof(t, slow).Text)
}

// waits returns once bytes of the dialling side have been waiting in a link for several looks: a client that is only just
// back after the last fault sends nothing yet.
func (s *stage) waits(t *testing.T, link string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	seen := 0
	require.NoError(t, wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		bytes, err := s.cluster.Bytes(ctx)
		if b := bytes[link]; b.UpstreamIn-b.UpstreamOut >= 50 {
			seen++
		}
		return seen >= 10, err
	}), "nothing ever waited in %s", link)
}
