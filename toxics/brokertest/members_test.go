package brokertest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// TestSourcesUnderTestDieAndTheServiceHangs: the members of a run besides its workers.
func TestSourcesUnderTestDieAndTheServiceHangs(t *testing.T) {
	s := newWorkers(t, "idempotent-producer", "notify-then-commit")
	service, worker := s.member(t, "service"), s.member(t, "notify-then-commit-0")
	kill := s.inject(t, "source-kill", "source of idempotent-producer", nil)
	require.Len(t, kill.Resolved().Members, 1)
	source := kill.Resolved().Members[0]
	assert.Equal(t, harness.MemberDead, s.member(t, source).State)
	hang := s.inject(t, "service-fail", "external service", nil)
	assert.NotEmpty(t, s.member(t, "service").WaitingAt, "a side effect is stored and its caller has no answer")
	assert.Equal(t, worker.Pid, s.member(t, worker.Name).Pid, "the workers are left alone")
	undo(t, kill)
	assert.Equal(t, 2, s.member(t, source).Incarnation)
	assert.NotEmpty(t, s.member(t, "service").WaitingAt, "the service still hangs")
	undo(t, hang)
	assert.Empty(t, s.member(t, "service").WaitingAt)
	assert.Equal(t, service.Pid, s.member(t, "service").Pid)
	for pipeline, i := range map[string]harness.Injection{"idempotent-producer": kill, "notify-then-commit": hang} {
		require.NoError(t, i.Heal(t.Context()))
		for _, proof := range i.Proofs(t.Context()) {
			t.Log(proof.Pipeline, "|", proof.Text)
			assert.Equal(t, proof.Pipeline == pipeline, proof.TookEffect, "%s: %s", proof.Pipeline, proof.Text)
		}
	}
	assert.Empty(t, s.Fleet.(harness.Lifecycle).Incidents())
}
