package local

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// The test binary has two more roles: the keeper, and a harness that is killed.
const (
	keeperPart  = "chaeos-test-keeper"
	harnessPart = "chaeos-test-harness"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case keeperPart:
			exitWith(beKeeper())
		case harnessPart:
			exitWith(beHarness(os.Args[2]))
		}
	}
	code := m.Run()
	closeShared()
	os.Exit(code)
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func beKeeper() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return RunKeeper(ctx, os.Stdin, os.Stdout, nil)
}

// beHarness starts a cluster, prints where it is, and waits to be killed.
func beHarness(logDir string) error {
	c, err := testProvider().Start(context.Background(), harness.ClusterSpec{LogDir: logDir})
	if err != nil {
		return err
	}
	nodes, err := c.Status(context.Background())
	if err != nil {
		return err
	}
	fmt.Println(c.Info().DataDir, c.Info().KeeperPid, nodes[0].Pid, nodes[1].Pid, nodes[2].Pid)
	select {}
}

func testProvider() *Provider { return New(DefaultCache(), []string{os.Args[0], keeperPart}) }

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// start starts a cluster of the test's own.
func start(t testing.TB, spec harness.ClusterSpec) harness.Cluster {
	t.Helper()
	spec.LogDir = t.TempDir()
	c, err := testProvider().Start(within(t, 3*time.Minute), spec)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close(within(t, time.Minute))) })
	return c
}

var (
	sharedOnce    sync.Once
	sharedCluster harness.Cluster
	errShared     error
	sharedLogs    string
)

// shared is one cluster for all tests that leave it as they found it.
func shared(t testing.TB) harness.Cluster {
	t.Helper()
	sharedOnce.Do(func() {
		if sharedLogs, errShared = os.MkdirTemp("", "chaeos-test-logs-"); errShared != nil {
			return
		}
		sharedCluster, errShared = testProvider().Start(within(t, 3*time.Minute), harness.ClusterSpec{LogDir: sharedLogs})
	})
	require.NoError(t, errShared)
	return sharedCluster
}

func closeShared() {
	if sharedCluster != nil {
		if err := sharedCluster.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "close the shared cluster:", err)
			os.Exit(1)
		}
	}
	_ = os.RemoveAll(sharedLogs)
}

func nodeLog(n int) string { return filepath.Join(sharedLogs, fmt.Sprintf("broker-%d.log", n)) }
