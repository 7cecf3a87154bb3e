package procs_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/harness/wait"
)

// parentMode makes this test binary a parent that starts a child, prints its pid and waits to be killed.
const parentMode = "CHAEOS_PROCS_TEST_PARENT"

func TestMain(m *testing.M) {
	if mode := os.Getenv(parentMode); mode != "" {
		beParent(mode)
	}
	os.Exit(m.Run())
}

func beParent(mode string) {
	child, err := procs.Start(exec.Command("sleep", "600"))
	if err == nil && mode == "stopped" {
		err = child.Pause(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(child.Pid())
	forever := make(chan os.Signal, 1)
	signal.Notify(forever, syscall.SIGUSR1)
	<-forever
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestChildDiesWithKilledParent(t *testing.T) {
	for _, mode := range []string{"running", "stopped"} {
		t.Run(mode, func(t *testing.T) {
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), parentMode+"="+mode)
			out, err := parent.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, parent.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			child, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err, "the parent said %q", line)
			require.NoError(t, syscall.Kill(child, 0), "the child must live before its parent is killed")
			require.NoError(t, parent.Process.Kill())
			_ = parent.Wait()
			require.NoError(t, wait.Poll(within(t, 10*time.Second), 5*time.Millisecond, func() (bool, error) { return gone(child), nil }))
		})
	}
}

// gone counts a zombie as gone: its new parent may be slow to reap it.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ") || strings.Contains(string(stat), ") X ")
}

func TestPauseStopsAndResumeContinues(t *testing.T) {
	p, err := procs.Start(exec.Command("sh", "-c", "trap 'exit 7' TERM; while :; do sleep 0.01; done"))
	require.NoError(t, err)
	require.NoError(t, p.Pause(within(t, 10*time.Second)))
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
	require.NoError(t, err)
	require.Contains(t, string(stat), ") T ")
	require.False(t, p.Ended())
	require.Nil(t, p.ExitState())
	require.NoError(t, p.Resume())
	require.NoError(t, p.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	require.ErrorAs(t, p.Wait(within(t, 10*time.Second)), &exit)
	require.Contains(t, []int{7, -1}, p.ExitState().ExitCode(), "the trap's exit code, or the signal before the trap was set")
}

func TestKillEndsTheWholeGroup(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 600 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p, err := procs.Start(cmd)
	require.NoError(t, err)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.NoError(t, p.Kill())
	require.Error(t, p.Wait(within(t, 10*time.Second)))
	require.NoError(t, wait.Poll(within(t, 10*time.Second), time.Millisecond, func() (bool, error) { return gone(grandchild), nil }))
	require.NoError(t, p.Kill(), "killing an ended process is no error")
	require.ErrorIs(t, p.Resume(), os.ErrProcessDone)
	require.ErrorIs(t, p.Pause(t.Context()), os.ErrProcessDone)
}

func TestWaitEndsWithItsContext(t *testing.T) {
	p, err := procs.Start(exec.Command("sleep", "600"))
	require.NoError(t, err)
	require.ErrorIs(t, p.Wait(within(t, 10*time.Millisecond)), context.DeadlineExceeded)
	require.NoError(t, p.Err())
	require.NoError(t, p.Kill())
	<-p.Done()
	require.Error(t, p.Err())
}

func TestStartNamesTheMissingProgram(t *testing.T) {
	_, err := procs.Start(exec.Command("/nowhere/java"))
	require.ErrorContains(t, err, "/nowhere/java")
}
