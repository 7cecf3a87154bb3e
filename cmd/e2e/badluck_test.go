package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// moments draws when to kill, spread over most of a run: cluster start, warm-up, load with its fault active. None comes
// before the command can have begun to catch signals.
func moments(n int) []time.Duration {
	const earliest = time.Second
	out := make([]time.Duration, n)
	for i := range out {
		slot := 22 * time.Second / time.Duration(n)
		out[i] = earliest + time.Duration(i)*slot + rand.N(slot)
	}
	return out
}

// struck starts a run whose broker is frozen for most of the load, and lets it come to the given moment.
func struck(t *testing.T, after time.Duration) *invocation {
	file, err := filepath.Abs(filepath.Join("testdata", "badluck.yaml"))
	require.NoError(t, err)
	i := newInvocation(t, "run", file).start()
	require.NoError(t, wait.Sleep(t.Context(), after))
	return i
}

func TestInterruptHealsAndCleansUp(t *testing.T) {
	for _, after := range moments(5) {
		t.Run(after.Round(time.Millisecond).String(), func(t *testing.T) {
			i := struck(t, after)
			require.NoError(t, i.cmd.Process.Signal(syscall.SIGINT))
			require.Equal(t, 4, i.wait(2*time.Minute), i.stderr.String())
			i.leavesNothing()
		})
	}
}

func TestKilledHarnessLeavesNothing(t *testing.T) {
	for _, after := range moments(5) {
		t.Run(after.Round(time.Millisecond).String(), func(t *testing.T) {
			i := struck(t, after)
			require.NoError(t, i.cmd.Process.Kill())
			i.wait(time.Minute)
			i.leavesNothing()
		})
	}
}

func TestInterruptAfterTheLoadIsHeardToo(t *testing.T) {
	i := newInvocation(t, "run", "baseline", "--duration", "5s").start()
	i.says(" drain\n", 2*time.Minute)
	require.NoError(t, i.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 4, i.wait(2*time.Minute), i.stderr.String())
	require.Contains(t, i.stdout.String(), "interrupted")
}

func TestSecondInterruptExitsAtOnce(t *testing.T) {
	i := newInvocation(t, "run", "baseline").start()
	i.says(" warm\n", time.Minute)
	require.NoError(t, i.cmd.Process.Signal(syscall.SIGINT))
	i.says("interrupted: healing", time.Minute)
	require.NoError(t, i.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 4, i.wait(time.Minute))
	require.NotContains(t, i.stdout.String(), "exit 4:", "it left before there was a report")
	i.leavesNothing()
}

// brokerPid finds a broker of the invocation, which the test then kills behind the keeper's back.
func (i *invocation) brokerPid() int {
	for _, pid := range i.processes() {
		line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		if err == nil && strings.Contains(string(line), "kafka.Kafka") {
			var n int
			_, err := fmt.Sscan(pid, &n)
			require.NoError(i.t, err)
			return n
		}
	}
	i.t.Fatal("no broker runs")
	return 0
}

func TestUnplannedDeathOfABrokerIsInconclusive(t *testing.T) {
	i := newInvocation(t, "run", "baseline", "--json", "--pipelines", "idempotent,transactional").start()
	i.says(" load\n", 2*time.Minute)
	require.NoError(t, syscall.Kill(i.brokerPid(), syscall.SIGKILL))
	require.Equal(t, 4, i.wait(5*time.Minute), i.stderr.String())
	require.Contains(t, fmt.Sprint(i.report().Inconclusive), "died unplanned")
}

// verify judges a saved run again and returns its exit code and report.
func verify(t *testing.T, dir string) (int, *harness.Report) {
	t.Helper()
	i := newInvocation(t, "verify", dir, "--json")
	require.NoError(t, i.cmd.Start())
	code := i.wait(time.Minute)
	return code, i.report()
}

func TestTruncatedHistoryIsNeverHeld(t *testing.T) {
	i := newInvocation(t, "run", "baseline", "--duration", "5s", "--json").start()
	require.Zero(t, i.wait(3*time.Minute), i.stderr.String())
	code, again := verify(t, i.runDir())
	require.Zero(t, code)
	require.Equal(t, i.report(), again, "judging a saved run again says the same")

	hist := filepath.Join(i.runDir(), "history", "source-input.1.hist")
	info, err := os.Stat(hist)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(hist, info.Size()-info.Size()/4-1))
	code, cut := verify(t, i.runDir())
	require.Equal(t, 4, code)
	for _, row := range cut.Rows {
		if !row.ProducerOnly {
			require.NotEqual(t, harness.Held, row.Verdict(row.Claims), row.Pipeline)
		}
	}
}

func TestFullDiskIsInconclusive(t *testing.T) {
	out := t.TempDir()
	full := filepath.Join(out, "runs")
	require.NoError(t, os.Mkdir(full, 0o755))
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", full).Run(); err != nil {
		t.Skipf("this test mounts a small file system, which takes root: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", "-l", full).Run()) })
	i := newInvocation(t, "run", "baseline", "--out", full, "--rate", "2000", "--pipelines", "acks1").start()
	i.says("  load", 3*time.Minute)
	_ = os.WriteFile(filepath.Join(full, "filler"), make([]byte, 4<<20), 0o600) // fails, having filled the disk
	code := i.wait(4 * time.Minute)
	require.Equal(t, 4, code, i.stderr.String())
	require.Contains(t, i.stderr.String(), "no space left")
}
