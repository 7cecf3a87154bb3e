package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/local"
)

// ownState is a cache that shares what was fetched, and not the record of a cluster that is up: the machine may have one.
func ownState(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	entries, err := os.ReadDir(local.DefaultCache())
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != filepath.Base(local.DefaultState()) {
			require.NoError(t, os.Symlink(filepath.Join(local.DefaultCache(), e.Name()), filepath.Join(cache, e.Name())))
		}
	}
	return cache
}

// another is a further command on the cluster that an invocation left up.
func (i *invocation) another(args ...string) *invocation {
	next := &invocation{t: i.t, out: i.out, temp: i.temp, mark: i.mark}
	next.cmd = exec.Command(binary, args...)
	next.cmd.Env, next.cmd.Dir = i.cmd.Env, i.out
	next.cmd.Stdout, next.cmd.Stderr = &next.stdout, &next.stderr
	require.NoError(i.t, next.cmd.Start())
	return next
}

// TestInjectByHand: faults on a cluster that was left up are seen by its links, heal at their time and at Ctrl-C, and
// leave a whole cluster behind.
func TestInjectByHand(t *testing.T) {
	up := newInvocation(t, "cluster", "up")
	up.cmd.Env = append(up.cmd.Env, "CHAEOS_CACHE="+ownState(t)) // the last one counts
	up.start()
	t.Cleanup(func() { up.another("cluster", "down").wait(time.Minute) }) // before start's own look at what is left
	require.Zero(t, up.wait(2*time.Minute), up.stderr.String())

	// A cluster without topics has nothing to replicate; its quorum always talks.
	cut := up.another("inject", "partition", "links=quorum", "--target", "broker 3", "--for", "3s")
	require.Zero(t, cut.wait(time.Minute), cut.stderr.String())
	require.Regexp(t, `target +broker 3: broker 3`, cut.stdout.String())
	require.Regexp(t, `healed +after \d`, cut.stdout.String())
	require.Regexp(t, `link \d-\d-quorum .*, [1-9][\d.]* k?B did not`, cut.stdout.String(), "bytes of its links were cut")

	held := up.another("inject", "broker-pause", "--target", "broker 2")
	held.says("broker-pause: broker 2", time.Minute)
	require.NoError(t, held.cmd.Process.Signal(syscall.SIGINT))
	require.Zero(t, held.wait(time.Minute), held.stderr.String())

	killed := up.another("inject", "broker-kill", "--target", "controller", "--for", "500ms")
	require.Zero(t, killed.wait(2*time.Minute), killed.stderr.String())

	status := up.another("cluster", "status")
	require.Zero(t, status.wait(time.Minute))
	require.Equal(t, 3, strings.Count(status.stdout.String(), " running, process "), status.stdout.String())
	down := up.another("cluster", "down")
	require.Zero(t, down.wait(time.Minute), down.stderr.String())
	up.leavesNothing()
}
