package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// ownTemp gives the test a temporary folder of its own, with a path short enough for a socket, and returns it.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "chaeos-t-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func clusterDirs(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(scratch.Root(), "cluster-*"))
	require.NoError(t, err)
	return dirs
}

func awaitGone(t *testing.T, pids []int, dir string) {
	t.Helper()
	require.NoError(t, wait.Poll(within(t, 20*time.Second), 10*time.Millisecond, func() (bool, error) {
		for _, pid := range pids {
			if syscall.Kill(pid, 0) == nil && !zombie(pid) {
				return false, nil
			}
		}
		return !exists(dir), nil
	}))
}

func pidsOf(t *testing.T, c harness.Cluster) []int {
	t.Helper()
	pids := []int{c.Info().KeeperPid}
	for _, n := range c.Info().Nodes {
		pid := statusOf(t, c, n).Pid
		require.Positive(t, pid)
		pids = append(pids, pid)
	}
	return pids
}

func TestTwoClustersAtOnceAndAKilledKeeper(t *testing.T) {
	first, second := shared(t), start(t, harness.ClusterSpec{})
	require.NotEqual(t, first.Info().ToxiproxyAPI, second.Info().ToxiproxyAPI)
	require.NoError(t, ready.Await(within(t, 5*time.Second), directs(first)))
	require.NoError(t, ready.Await(within(t, 5*time.Second), directs(second)))

	pids := pidsOf(t, second)
	require.NoError(t, second.Pause(t.Context(), 1), "a stopped broker dies with its keeper too")
	require.NoError(t, syscall.Kill(pids[0], syscall.SIGKILL))
	awaitGone(t, pids, "")
	require.NoError(t, second.Close(within(t, 30*time.Second)))
	require.NoDirExists(t, second.Info().DataDir)
	require.NoError(t, ready.Await(within(t, 5*time.Second), directs(first)), "the other cluster is untouched")
}

func TestKilledHarnessLeavesNothing(t *testing.T) {
	ownTemp(t)
	killed := exec.Command(os.Args[0], harnessPart, t.TempDir())
	killed.Stderr = os.Stderr
	out, err := killed.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, killed.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	var dir string
	pids := make([]int, 4)
	_, err = fmt.Sscan(line, &dir, &pids[0], &pids[1], &pids[2], &pids[3])
	require.NoError(t, err)
	require.DirExists(t, dir)
	for _, pid := range pids {
		require.NoError(t, syscall.Kill(pid, 0), "must live before the harness is killed")
	}
	require.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	awaitGone(t, pids, dir)
}

func TestFailedStartSaysWhyAndLeavesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		properties map[string]string
		says       string
	}{
		"refused configuration": {map[string]string{"process.roles": "nonsense"}, "process.roles"},
		"ends while starting":   {map[string]string{"log.dirs": "/proc/nowhere"}, "No readable meta.properties"},
	} {
		t.Run(name, func(t *testing.T) {
			ownTemp(t)
			begin := time.Now()
			logs := t.TempDir()
			_, err := testProvider().Start(t.Context(), harness.ClusterSpec{LogDir: logs, Properties: test.properties})
			var failed *StartError
			require.ErrorAs(t, err, &failed)
			require.NotZero(t, failed.Node)
			require.FileExists(t, failed.Log)
			require.ErrorContains(t, err, test.says)
			require.Less(t, time.Since(begin), 20*time.Second, "at once, not when the time for the start is over")
			require.Empty(t, clusterDirs(t))
		})
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	ownTemp(t)
	stop := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	spec := harness.ClusterSpec{LogDir: t.TempDir(), Progress: func(what string) {
		if what == "starting 3 brokers" {
			cancel(stop)
		}
	}}
	_, err := testProvider().Start(ctx, spec)
	require.ErrorIs(t, err, stop)
	require.Empty(t, clusterDirs(t))
}

func TestLateStartSaysWhatIsMissing(t *testing.T) {
	ownTemp(t)
	_, err := testProvider().Start(t.Context(), harness.ClusterSpec{LogDir: t.TempDir(), ReadyWithin: time.Second})
	require.ErrorContains(t, err, "not ready within 1s")
	require.Empty(t, clusterDirs(t))
}

func TestDetachedClusterIsFoundAndEnded(t *testing.T) {
	ownTemp(t)
	p := testProvider()
	p.StateDir = t.TempDir()
	_, err := Attach(t.Context(), p.StateDir)
	require.ErrorIs(t, err, harness.ErrNoCluster)
	up, err := p.Start(within(t, time.Minute), harness.ClusterSpec{Detach: true})
	require.NoError(t, err)
	pids := pidsOf(t, up)
	_, err = p.Start(t.Context(), harness.ClusterSpec{Detach: true})
	require.ErrorContains(t, err, "already up")

	_, err = up.ClientLinks(t.Context(), "later")
	require.NoError(t, err)
	found, err := Attach(t.Context(), p.StateDir)
	require.NoError(t, err)
	require.Equal(t, up.Info(), found.Info())
	require.Equal(t, up.Links(), found.Links(), "also links made since")
	require.NoError(t, found.Close(within(t, time.Minute)))
	awaitGone(t, pids, up.Info().DataDir)
	_, err = Attach(t.Context(), p.StateDir)
	require.ErrorIs(t, err, harness.ErrNoCluster)
}

// TestKeeperWhoseFolderIsRemovedEnds: what tidies temporary folders knows nothing of the processes that use them.
func TestKeeperWhoseFolderIsRemovedEnds(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	folder, err := scratch.Make(ctx, filepath.Join(t.TempDir(), "root"), clusterKind)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(folder.Path))
	(&keeper{folder: folder, end: end}).watchFolder(ctx, time.Millisecond)
	require.ErrorIs(t, context.Cause(ctx), errFolderGone)
}

func TestStaleRecordIsReported(t *testing.T) {
	state, dir := t.TempDir(), filepath.Join(t.TempDir(), filepath.Base(scratch.Root()), "cluster-1")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "node-1"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, scratch.LockName), nil, 0o600))
	require.NoError(t, saveState(state, description{Info: harness.ClusterInfo{KeeperPid: os.Getpid(), DataDir: dir}}))
	_, err := Attach(t.Context(), state)
	require.ErrorIs(t, err, harness.ErrStale)
	require.NoDirExists(t, dir)
	_, err = Attach(t.Context(), state)
	require.ErrorIs(t, err, harness.ErrNoCluster)
}
