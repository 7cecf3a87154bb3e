// Package e2e runs the command as its users do: every experiment on real brokers, interrupts, kills and bad luck.
package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	_ "github.com/chaeos/chaeos/verifiers/checks" // declares the numbers of the reports that are read
)

// binary is the command under test, built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "chaeos-e2e-")
	if err == nil {
		binary = filepath.Join(dir, "chaeos")
		var out []byte
		build := exec.Command("go", "build", "-o", binary, "github.com/chaeos/chaeos/cmd/chaeos")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // the proxy image is made of it
		if out, err = build.CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the command:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// invocation is one call of the command, with a temporary folder and a mark of its own so that what it leaves is seen.
type invocation struct {
	t              *testing.T
	cmd            *exec.Cmd
	out, temp      string
	mark           string
	stdout, stderr output
}

// markVariable is inherited by every process that the command starts.
const markVariable = "CHAEOS_E2E_MARK"

func newInvocation(t *testing.T, args ...string) *invocation {
	t.Helper()
	i := &invocation{t: t, out: outFolder(t), temp: shortTemp(t)}
	i.mark = strconv.FormatInt(time.Now().UnixNano(), 36)
	i.cmd = exec.Command(binary, args...)
	i.cmd.Env = append(os.Environ(), "TMPDIR="+i.temp, markVariable+"="+i.mark, "CHAEOS_CACHE="+local.DefaultCache())
	i.cmd.Dir, i.cmd.Stdout, i.cmd.Stderr = i.out, &i.stdout, &i.stderr
	return i
}

// outFolder is where the command works and leaves its runs: a temporary folder, or one in CHAEOS_E2E_KEEP.
func outFolder(t *testing.T) string {
	t.Helper()
	keep := os.Getenv("CHAEOS_E2E_KEEP")
	if keep == "" {
		return t.TempDir()
	}
	dir := filepath.Join(keep, t.Name())
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// shortTemp is a temporary folder with a short path: a unix socket's may have 107 bytes.
func shortTemp(t *testing.T) string {
	dir, err := os.MkdirTemp("", "e2e-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func (i *invocation) start() *invocation {
	require.NoError(i.t, i.cmd.Start())
	i.t.Cleanup(func() {
		_ = i.cmd.Process.Kill() // no error where it has ended, as it should have
		i.leavesNothing()
	})
	return i
}

// wait returns the exit code, and kills the command at the deadline.
func (i *invocation) wait(within time.Duration) int {
	i.t.Helper()
	timer := time.AfterFunc(within, func() { _ = i.cmd.Process.Kill() })
	defer timer.Stop()
	err := i.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		i.t.Fatal(err)
	}
	return i.cmd.ProcessState.ExitCode()
}

// processes lists the pids of everything that inherited the invocation's mark and is not dead.
func (i *invocation) processes() []string {
	var pids []string
	envs, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range envs {
		env, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(env), markVariable+"="+i.mark) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// leavesNothing waits until no process of the invocation lives and its temporary folder is empty.
func (i *invocation) leavesNothing() {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	left := ""
	err := wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		files, err := os.ReadDir(i.temp)
		left = fmt.Sprintf("processes %v, files %v", i.processes(), files)
		return len(i.processes()) == 0 && len(files) == 0, err
	})
	if err != nil {
		i.t.Errorf("the command left something behind: %s\n%s", left, i.stderr.String())
	}
}

// says waits until the command's progress contains text.
func (i *invocation) says(text string, within time.Duration) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), within)
	defer cancel()
	err := wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		return strings.Contains(i.stderr.String(), text), nil
	})
	require.NoError(i.t, err, "waiting for %q in\n%s", text, i.stderr.String())
}

// output is what the command printed so far, while it prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// report parses the JSON report on standard output.
func (i *invocation) report() *harness.Report {
	i.t.Helper()
	var r harness.Report
	require.NoError(i.t, json.Unmarshal([]byte(i.stdout.String()), &r), "%s\n%s", i.stdout.String(), i.stderr.String())
	return &r
}

// runDir is the one run's folder.
func (i *invocation) runDir() string {
	i.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(i.out, "runs", "*"))
	require.NoError(i.t, err)
	require.Len(i.t, dirs, 1)
	return dirs[0]
}
