package toxics

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/inject"
)

// steps are the operations on brokers that each fault goes through.
var steps = map[string][]string{
	"broker-kill":    {"kill"},
	"broker-pause":   {"pause"},
	"broker-stop":    {"stop"},
	"broker-restart": {"stop", "start"},
	"broker-wipe":    {"kill", "wipe"},
	"power-loss":     {"kill", "cut"},
}

func optionsOf(fault string) map[string]any {
	if fault == "power-loss" {
		return map[string]any{"mode": "checkpoint"}
	}
	return nil
}

func (s *stage) allRun(t *testing.T) {
	t.Helper()
	nodes, err := s.cluster.Status(t.Context())
	require.NoError(t, err)
	for _, n := range nodes {
		assert.Equal(t, harness.NodeRunning, n.State, "broker %d", n.Node)
	}
}

// Whatever step fails on one broker, the heal brings all back, and says so.
func TestBrokerFaultsHealWhicheverStepFails(t *testing.T) {
	for fault, ops := range steps {
		for _, op := range ops {
			s := newStage(t)
			s.cluster.failing(op+" 2", errors.New("no"))
			i, err := s.try(t.Context(), t, fault, "all brokers", optionsOf(fault))
			require.ErrorContains(t, err, "no", "%s: %s", fault, op)
			require.NotNil(t, i, "what was done must be undone")
			s.cluster.failing(op+" 2", nil)
			require.NoError(t, i.Heal(t.Context()))
			s.allRun(t)
			_, err = i.(*inject.Injection).CheckHeal(t.Context())
			require.NoError(t, err)
			assert.False(t, proofOf(t, i, "p").TookEffect, "it was not applied")
		}
	}
}

func TestBrokerFaultsUnderACancelledContextDoNothing(t *testing.T) {
	for fault := range steps {
		s := newStage(t)
		f, err := New(fault, optionsOf(fault))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		i, err := f.Inject(ctx, s.Field, "all brokers")
		require.Error(t, err, fault)
		if i != nil {
			require.NoError(t, i.Heal(ctx), fault)
		}
		s.allRun(t)
		assert.Empty(t, s.cluster.called(), fault)
	}
}

func TestBrokersThatStayDownAreSaid(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "broker-stop", "broker 1", nil)
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, s.cluster.Kill(t.Context(), 1))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := i.(*inject.Injection).CheckHeal(ctx)
	require.ErrorContains(t, err, "broker 1 is stopped")
}

func TestPowerLossSaysWhatWasLost(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "power-loss", "all brokers", optionsOf("power-loss"))
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, "power lost on 3 brokers; offsets cut on all replicas: 10 of output", proofOf(t, i, "p").Text)
	assert.False(t, proofOf(t, i, "q").TookEffect, "its logs lost nothing")
	require.Len(t, i.(*inject.Injection).Lasting(), 3)
	assert.Equal(t, harness.Lasting{What: harness.LogWasCut, Topic: "out-p", Node: 1, From: 90, To: 80}, i.(*inject.Injection).Lasting()[0])
}
