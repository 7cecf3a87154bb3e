package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// Which test shows the known failure of which pipeline stands in harness/catalogue/failures_test.go.

// TestWorkersKilledWhereTheirPromisesAreThinnest: what each loses or repeats is what it had in hand, and nothing else.
func TestWorkersKilledWhereTheirPromisesAreThinnest(t *testing.T) {
	r := own(t, "killed.yaml")
	first := numbers(t, r, "commit-first")
	require.NotZero(t, first.Count("lost"))
	require.Zero(t, first.Count("duplicates"))
	for _, name := range []string{"commit-after", "share-group"} {
		n := numbers(t, r, name)
		require.Zero(t, n.Count("lost"), name)
		require.NotZero(t, n.Count("duplicates"), name)
		for cause := range n.ByCause("duplicatesBy") {
			require.Contains(t, cause, "reprocessed after", name)
		}
	}
	require.NotZero(t, numbers(t, r, "share-group").ByCause("duplicatesBy")["reprocessed after redelivery"])
	require.True(t, slices.ContainsFunc(r.Rereads, func(x harness.PipelineReread) bool {
		return x.Pipeline == "share-group" && x.Release == "died" && x.Killed && x.Deliveries == 2
	}), "%+v", r.Rereads)
	for _, name := range []string{"aborting", "fan-out"} {
		spotless(t, numbers(t, r, name))
	}
	require.NotNil(t, numbers(t, r, "fan-out").Value("split"), "it writes to two topics")
}

// TestALeaderThatIsGoneCostsWhatIsNeverAsked: acks0 loses what vanished on the way, and hears of nothing.
func TestALeaderThatIsGoneCostsWhatIsNeverAsked(t *testing.T) {
	r := own(t, "leader-gone.yaml")
	silent := numbers(t, r, "acks0")
	require.NotZero(t, silent.Count("lost"))
	require.Zero(t, silent.Count("duplicates"))
	for _, name := range []string{"aborting", "two-producers-one-id"} {
		spotless(t, numbers(t, r, name))
	}
	open := numbers(t, r, "aborting-read-uncommitted")
	require.NotZero(t, open.Count("duplicates"), "its readers are given what was aborted")
	require.Zero(t, open.Count("lost"))
}

// TestWhatComesTooLateComesTwice: a commit that nothing fenced, once the next life has sent its records again; and a call whose
// key the service has forgotten.
func TestWhatComesTooLateComesTwice(t *testing.T) {
	r := own(t, "late.yaml")
	spotless(t, numbers(t, r, "transactional-producer"))
	random := numbers(t, r, "transactional-producer-random-id")
	require.NotZero(t, random.Count("duplicates"))
	require.Equal(t, map[string]uint64{"resend across producer ids": random.Count("duplicates")}, random.ByCause("duplicatesBy"))
	require.Zero(t, random.Count("lost"))
	keyed := numbers(t, r, "notify-idempotency-key")
	require.NotZero(t, keyed.Count("duplicates"))
	require.Zero(t, keyed.Count("lost"))
}

// TestAShareGroupGivesUpWhatKillsItsWorkers, and a consumer group never does.
func TestAShareGroupGivesUpWhatKillsItsWorkers(t *testing.T) {
	thorough(t)
	r := experiment(t, "share-group")
	queue := numbers(t, r, "share-group")
	require.NotZero(t, queue.Count("duplicates"), "killed with its outputs stored")
	require.NotZero(t, queue.Count("lost"))
	require.Equal(t, map[string]uint64{"given up": queue.Count("lost")}, queue.ByCause("lostBy"))
	group := numbers(t, r, "idempotent")
	require.Zero(t, group.Count("lost"))
	require.NotZero(t, group.Count("duplicates"))
}

// TestASlowCallStallsReadersOnlyInsideATransaction: the one before it delays what is in hand, and holds no offset back.
func TestASlowCallStallsReadersOnlyInsideATransaction(t *testing.T) {
	thorough(t)
	r := experiment(t, "slow-transaction")
	const call, slack = 20 * time.Second, 2 * time.Second
	require.GreaterOrEqual(t, numbers(t, r, "slow-transaction").Duration("longestStall"), call-slack)
	require.Less(t, numbers(t, r, "slow-outside").Duration("longestStall"), call-slack)
	for _, row := range r.Rows {
		require.Equal(t, harness.Held, row.Verdict(harness.ExactlyOnce), row.Pipeline)
	}
}
