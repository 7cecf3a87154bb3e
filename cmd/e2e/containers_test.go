package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// inContainers runs a shipped experiment on containers. None is skipped where no engine answers: it fails.
func inContainers(t *testing.T, args ...string) *harness.Report {
	t.Helper()
	i := newInvocation(t, append([]string{"run", "--seed", "1", "--json", "--cluster", "containers"}, args...)...).start()
	code := i.wait(4 * time.Minute)
	require.Zero(t, code, "%s\n%s", i.stdout.String(), i.stderr.String())
	r := i.report()
	require.Equal(t, "containers", r.Provider)
	for _, f := range r.Faults {
		require.NotZero(t, f.Healed, f.Fault)
		for _, b := range f.Proofs {
			require.True(t, b.TookEffect, "%s of %s did not take effect on %s: %s", f.Fault, f.Target, b.Pipeline, b.Text)
		}
	}
	for _, row := range r.Rows {
		n := row.Numbers
		require.Equal(t, n.Count("input"), n.Count("unique")+n.Count("lost")+n.Count("unprocessed")+n.Count("hidden"), row.Pipeline)
		require.Zero(t, n.Count("corrupt")+n.Count("foreign")+n.Count("phantom")+n.Count("unprocessed")+n.Count("hidden"), row.Pipeline)
	}
	return r
}

// exactly checks that the transactional row is without a stain.
func exactly(t *testing.T, r *harness.Report) {
	t.Helper()
	n := numbers(t, r, "transactional")
	require.Zero(t, n.Count("duplicates")+n.Count("lost")+n.Count("torn")+n.Count("committedNotSeen")+n.Count("abortedSeen"))
}

func TestContainersBaseline(t *testing.T) {
	r := inContainers(t, "baseline", "--duration", "5s")
	exactly(t, r)
	for _, row := range r.Rows {
		require.Zero(t, row.Numbers.Count("duplicates")+row.Numbers.Count("lost")+row.Numbers.Count("unknown"), row.Pipeline)
	}
}

func TestContainersLeaderPartition(t *testing.T) {
	r := inContainers(t, "leader-partition", "--duration", "32s", "--pipelines", "acks1,transactional")
	exactly(t, r)
	require.NotZero(t, numbers(t, r, "acks1").Count("lost"))
}

func TestContainersBrokerKill(t *testing.T) {
	exactly(t, inContainers(t, "broker-kill", "--duration", "28s", "--pipelines", "transactional"))
}

func TestContainersWorkerKill(t *testing.T) {
	r := inContainers(t, "worker-kill")
	exactly(t, r)
	require.NotZero(t, numbers(t, r, "auto-commit").Count("lost"))
	require.NotZero(t, numbers(t, r, "idempotent").Count("duplicates"))
}

func TestContainersLingeringTransaction(t *testing.T) {
	r := inContainers(t, "lingering-txn", "--duration", "42s", "--pipelines", "transactional")
	exactly(t, r)
	var longest time.Duration
	for _, s := range r.Stalls {
		longest = max(longest, s.Length)
	}
	require.Greater(t, longest, 12*time.Second, "the transaction's timeout of 15 s")
}
