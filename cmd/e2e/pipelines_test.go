package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// row returns a pipeline's row.
func row(t *testing.T, r *harness.Report, pipeline string) harness.Row {
	t.Helper()
	for _, row := range r.Rows {
		if row.Pipeline == pipeline {
			return row
		}
	}
	t.Fatalf("no row %s", pipeline)
	return harness.Row{}
}

// TestProducersThatStartAgain: what was acknowledged and not noted down comes twice, all of it and nothing else; what is
// read back from the log does not.
func TestProducersThatStartAgain(t *testing.T) {
	r := experiment(t, "producer-restart")
	twice := numbers(t, r, "idempotent-restart")
	require.NotZero(t, twice.Duplicates)
	require.Equal(t, twice.Duplicates, twice.DuplicatedInputs)
	require.Zero(t, twice.Lost)
	for _, name := range []string{"transactional-producer", "transactional-producer-random-id"} {
		require.Zero(t, numbers(t, r, name).Duplicates+numbers(t, r, name).Lost, name)
	}
	require.Greater(t, *numbers(t, r, "transactional-producer-random-id").LongestStall, *numbers(t, r, "transactional-producer").LongestStall,
		"nobody ends what a life with another id left open")
}

// TestZombieIsFencedByTheGroupsGenerationOnly: the one without it commits what another has done meanwhile.
func TestZombieIsFencedByTheGroupsGenerationOnly(t *testing.T) {
	thorough(t)
	r := experiment(t, "zombie-member")
	require.NotZero(t, numbers(t, r, "transactional-no-metadata").Duplicates)
	for _, name := range []string{"transactional", "transactional-manual", "transactional-random-id"} {
		require.Equal(t, harness.Held, row(t, r, name).Verdict(harness.ExactlyOnce), name)
	}
}

// TestCommitsThatDontWaitForTheWorkLoseIt, and the synchronous loop repeats instead.
func TestCommitsThatDontWaitForTheWorkLoseIt(t *testing.T) {
	thorough(t)
	r := experiment(t, "autocommit-async")
	for _, name := range []string{"auto-commit", "auto-commit-greedy", "commit-out-of-order"} {
		require.NotZero(t, numbers(t, r, name).Lost, name)
	}
	require.Zero(t, numbers(t, r, "auto-commit-sync").Lost)
	require.NotZero(t, numbers(t, r, "auto-commit-sync").Duplicates)
}

// TestEffectsAreJudgedAsOutputs: the service's own store says how often each call had its effect.
func TestEffectsAreJudgedAsOutputs(t *testing.T) {
	thorough(t)
	r := experiment(t, "side-effect")
	require.NotZero(t, numbers(t, r, "commit-then-notify").Lost)
	require.Zero(t, numbers(t, r, "commit-then-notify").Duplicates)
	require.NotZero(t, numbers(t, r, "notify-then-commit").Duplicates)
	require.NotZero(t, numbers(t, r, "notify-in-transaction").Duplicates)
	require.Zero(t, numbers(t, r, "notify-in-transaction").Lost)
	require.Nil(t, numbers(t, r, "notify-in-transaction").AbortedSeen, "no transaction holds an effect")
	require.Zero(t, numbers(t, r, "notify-idempotency-key").Duplicates+numbers(t, r, "notify-idempotency-key").Lost)
}
