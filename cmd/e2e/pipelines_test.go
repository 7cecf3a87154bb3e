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
	require.NotZero(t, twice.Count("duplicates"))
	require.Equal(t, twice.Count("duplicates"), twice.Count("duplicatedInputs"))
	require.Zero(t, twice.Count("lost"))
	for _, name := range []string{"transactional-producer", "transactional-producer-random-id"} {
		require.Zero(t, numbers(t, r, name).Count("duplicates")+numbers(t, r, name).Count("lost"), name)
	}
	require.Greater(t, numbers(t, r, "transactional-producer-random-id").Duration("longestStall"), numbers(t, r, "transactional-producer").Duration("longestStall"),
		"nothing ends what a life with another id left open")
}

// TestZombieIsFencedByTheGroupsGenerationOnly: the one without it commits what another has done meanwhile.
func TestZombieIsFencedByTheGroupsGenerationOnly(t *testing.T) {
	thorough(t)
	r := experiment(t, "zombie-member")
	require.NotZero(t, numbers(t, r, "transactional-no-metadata").Count("duplicates"))
	for _, name := range []string{"transactional", "transactional-manual", "transactional-random-id"} {
		require.Equal(t, harness.Held, row(t, r, name).Verdict(harness.ExactlyOnce), name)
	}
}

// TestCommitsThatDontWaitForTheWorkLoseIt, and the synchronous loop repeats instead.
func TestCommitsThatDontWaitForTheWorkLoseIt(t *testing.T) {
	thorough(t)
	r := experiment(t, "autocommit-async")
	for _, name := range []string{"auto-commit", "auto-commit-greedy", "commit-out-of-order"} {
		require.NotZero(t, numbers(t, r, name).Count("lost"), name)
	}
	require.Zero(t, numbers(t, r, "auto-commit-sync").Count("lost"))
	require.NotZero(t, numbers(t, r, "auto-commit-sync").Count("duplicates"))
}

// TestEffectsAreJudgedAsOutputs: the service's own store says how often each call had its effect.
func TestEffectsAreJudgedAsOutputs(t *testing.T) {
	thorough(t)
	r := experiment(t, "side-effect")
	require.NotZero(t, numbers(t, r, "commit-then-notify").Count("lost"))
	require.Zero(t, numbers(t, r, "commit-then-notify").Count("duplicates"))
	require.NotZero(t, numbers(t, r, "notify-then-commit").Count("duplicates"))
	require.NotZero(t, numbers(t, r, "notify-in-transaction").Count("duplicates"))
	require.Zero(t, numbers(t, r, "notify-in-transaction").Count("lost"))
	require.Nil(t, numbers(t, r, "notify-in-transaction").Count("abortedSeen"), "no transaction holds an effect")
	require.Zero(t, numbers(t, r, "notify-idempotency-key").Count("duplicates")+numbers(t, r, "notify-idempotency-key").Count("lost"))
}
