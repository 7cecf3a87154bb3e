package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestLostAcksAreDoubledWithoutSequencesOnly(t *testing.T) {
	r := experiment(t, "lost-ack")
	exactlyOnce(t, r)
	require.NotZero(t, numbers(t, r, "acks-all").Count("duplicates"))
	require.NotZero(t, numbers(t, r, "acks-all-pipelined").Count("duplicates"))
	require.Zero(t, numbers(t, r, "idempotent-producer").Count("duplicates"))
	require.Zero(t, numbers(t, r, "idempotent").Count("duplicates"))
	for _, row := range r.Rows {
		require.Zero(t, row.Numbers.Count("lost"), row.Pipeline)
		for cause := range row.Numbers.ByCause("duplicatesBy") {
			require.Equal(t, "resend without producer id", cause, row.Pipeline)
		}
	}
}

func TestCoordinatorFailoverCompletesWhatWasPrepared(t *testing.T) {
	thorough(t)
	exactlyOnce(t, experiment(t, "coordinator-failover"))
}

// late checks a row of the late-request experiments: whether a late abort took the first half of a transaction that
// committed.
func late(t *testing.T, r *harness.Report, pipeline string, torn bool) {
	t.Helper()
	n := numbers(t, r, pipeline)
	require.Zero(t, n.Count("duplicates")+n.Count("abortedSeen"), pipeline)
	if torn {
		require.NotZero(t, n.Count("torn"), pipeline)
		require.NotZero(t, n.Count("committedNotSeen"), pipeline)
		require.Equal(t, n.Count("committedNotSeen"), n.Count("lost"), pipeline)
		return
	}
	require.Zero(t, n.Count("torn")+n.Count("committedNotSeen")+n.Count("lost"), pipeline)
}

func TestALateEndTxnIsFencedForClientsThatAskForIt(t *testing.T) {
	thorough(t)
	r := experiment(t, "late-request")
	late(t, r, "transactional-halves", false)
	late(t, r, "transactional-halves-old-client", true)
	for _, f := range r.Faults {
		require.Contains(t, f.Saw, "waits at committed")
		require.Contains(t, f.HealSaw, "waits at halfway")
	}
}

func TestALateEndTxnTearsUnderTransactionVersion1(t *testing.T) {
	r := experiment(t, "late-request-tv1")
	require.Contains(t, r.Features, harness.Feature{Name: "transaction.version", Level: 1})
	late(t, r, "transactional-halves", true)
	late(t, r, "transactional-halves-old-client", true)
}

func TestPowerLossLosesWhatEveryReplicaHad(t *testing.T) {
	thorough(t)
	r := lossy(t, "power-loss")
	require.NotZero(t, numbers(t, r, "acks-all").Count("lost"))
	require.NotZero(t, numbers(t, r, "idempotent-producer").Count("lost"))
}

func TestForgottenOffsetsAreReadAgain(t *testing.T) {
	thorough(t)
	r := lossy(t, "offset-amnesia")
	for _, row := range r.Rows {
		require.NotZero(t, row.Numbers.Count("duplicates"), row.Pipeline)
		require.NotZero(t, row.Numbers.Count("ackedAbsent"), "%s: the deleted records", row.Pipeline)
	}
}

func TestLeaderStormCostsNoneWithSequences(t *testing.T) {
	thorough(t)
	r := experiment(t, "leader-storm")
	exactlyOnce(t, r)
	producer := numbers(t, r, "idempotent-producer")
	require.Zero(t, producer.Count("lost")+producer.Count("duplicates"))
}

func TestTheLastReplicaTakesWhatItAcknowledgedAlone(t *testing.T) {
	thorough(t)
	r := lossy(t, "last-replica")
	require.NotZero(t, numbers(t, r, "acks-all").Count("lost"))
	require.NotZero(t, numbers(t, r, "acks-all-pipelined").Count("lost"))
	require.NotZero(t, numbers(t, r, "idempotent-producer").Count("lost"))
}
