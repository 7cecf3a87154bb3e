package e2e

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// experiment runs one shipped experiment and checks what all of them have in common.
func experiment(t *testing.T, name string, flags ...string) *harness.Report {
	t.Helper()
	r := lossy(t, name, flags...)
	for _, row := range r.Rows {
		n := row.Numbers
		require.Zero(t, n.Count("phantom"), row.Pipeline)
		require.Zero(t, n.Count("ackedAbsent")*boolToInt(!row.ProducerOnly), "the shared source lost what it acknowledged")
	}
	return r
}

// lossy is an experiment that takes acknowledged records from logs, the input's among them.
func lossy(t *testing.T, name string, flags ...string) *harness.Report {
	t.Helper()
	i := newInvocation(t, append([]string{"run", name, "--seed", "1", "--json"}, flags...)...).start()
	code := i.wait(4 * time.Minute)
	require.Zero(t, code, "%s\n%s", i.stdout.String(), i.stderr.String())
	r := i.report()
	for _, f := range r.Faults {
		require.NotZero(t, f.Healed, f.Fault)
		for _, b := range f.Proofs {
			require.True(t, b.TookEffect || !f.Concerns(b.Pipeline), "%s of %s did not take effect on %s: %s", f.Fault, f.Target, b.Pipeline, b.Text)
		}
	}
	for _, row := range r.Rows {
		n := row.Numbers
		require.NotZero(t, n.Count("input"), row.Pipeline)
		require.Equal(t, n.Count("input"), n.Count("unique")+n.Count("lost")+n.Count("unprocessed")+n.Count("hidden"), row.Pipeline)
		require.Zero(t, n.Count("corrupt")+n.Count("foreign")+n.Count("unprocessed")+n.Count("hidden"), row.Pipeline)
	}
	return r
}

// thorough leaves a test to the nightly job: make test has a time to keep, and every experiment takes over a minute.
func thorough(t *testing.T) {
	t.Helper()
	if os.Getenv("CHAEOS_E2E") != "all" {
		t.Skip("a part of make nightly (CHAEOS_E2E=all)")
	}
}

func boolToInt(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func numbers(t *testing.T, r *harness.Report, pipeline string) harness.Numbers {
	t.Helper()
	for _, row := range r.Rows {
		if row.Pipeline == pipeline {
			return row.Numbers
		}
	}
	t.Fatalf("no row %s", pipeline)
	return harness.Numbers{}
}

// exactlyOnce checks the row that every experiment must leave without a stain.
func exactlyOnce(t *testing.T, r *harness.Report) {
	t.Helper()
	n := numbers(t, r, "transactional")
	require.Zero(t, n.Count("duplicates")+n.Count("lost")+n.Count("torn")+n.Count("committedNotSeen")+n.Count("abortedSeen"))
	idempotent := numbers(t, r, "idempotent")
	require.Zero(t, idempotent.Count("lost"))
}

func TestBaselineIsClean(t *testing.T) {
	r := experiment(t, "baseline")
	exactlyOnce(t, r)
	for _, row := range r.Rows {
		n := row.Numbers
		require.Zero(t, n.Count("duplicates")+n.Count("lost")+n.Count("unknown")+n.Count("offsetsWentBack"), row.Pipeline)
		require.Equal(t, harness.Held, row.Verdict(row.Claims), row.Pipeline)
	}
}

func TestLatencyLosesAndDoublesNothing(t *testing.T) {
	r := experiment(t, "latency")
	exactlyOnce(t, r)
	for _, row := range r.Rows {
		require.Zero(t, row.Numbers.Count("lost"), row.Pipeline)
		require.Greater(t, row.Numbers.Duration("p99"), 200*time.Millisecond, "p99 shows the latency")
	}
}

func TestLeaderPartitionCostsAcks1ItsAcknowledgedRecords(t *testing.T) {
	r := experiment(t, "leader-partition")
	exactlyOnce(t, r)
	require.NotZero(t, numbers(t, r, "acks1").Count("lost"))
	require.Zero(t, numbers(t, r, "idempotent").Count("duplicates"))
}

func TestBrokerKill(t *testing.T)      { exactlyOnce(t, experiment(t, "broker-kill")) }
func TestBrokerPause(t *testing.T)     { exactlyOnce(t, experiment(t, "broker-pause")) }
func TestCoordinatorKill(t *testing.T) { exactlyOnce(t, experiment(t, "coordinator-kill")) }

func TestWorkerKillTellsThePipelinesApart(t *testing.T) {
	r := experiment(t, "worker-kill")
	exactlyOnce(t, r)
	require.NotZero(t, numbers(t, r, "auto-commit").Count("lost"))
	require.NotZero(t, numbers(t, r, "idempotent").Count("duplicates"))
}

func TestLingeringTransactionIsNamed(t *testing.T) {
	r := experiment(t, "lingering-txn")
	exactlyOnce(t, r)
	var longest harness.Stall
	for _, s := range r.Stalls {
		if s.Length > longest.Length {
			longest = s
		}
	}
	const timeout, abortScan, slack = 15 * time.Second, 10 * time.Second, 3 * time.Second
	require.GreaterOrEqual(t, longest.Length, timeout-slack)
	require.LessOrEqual(t, longest.Length, timeout+abortScan+slack)
	require.Contains(t, longest.TransactionalID, "transactional", "the transaction is named")
}
