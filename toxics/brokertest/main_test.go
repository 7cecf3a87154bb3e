// Package brokertest tries the faults on real brokers: that each takes effect, by measurement, that it leaves others alone, and
// that it heals. All tests share one cluster and make topics of their own.
package brokertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/workloads"
)

// keeperPart makes the test binary play the keeper; workloads.Subcommand makes it a source or worker.
const keeperPart = "chaeos-test-keeper"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if err := play(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if os.Args[1] == keeperPart || os.Args[1] == workloads.Subcommand {
			os.Exit(0)
		}
	}
	code := m.Run()
	if missing := neverInjected(); len(missing) > 0 && code == 0 && flag.Lookup("test.run").Value.String() == "" {
		fmt.Fprintln(os.Stderr, "faults that no test injects into real brokers:", missing)
		code = 1
	}
	if shared.cluster != nil {
		if err := shared.cluster.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "close the shared cluster:", err)
			code = 1
		}
	}
	_ = os.RemoveAll(shared.logs)
	os.Exit(code)
}

// injected are the faults that tests have injected so far.
var injected = map[string]bool{}

// neverInjected lists the faults that no test has injected.
func neverInjected() []string {
	return slices.DeleteFunc(toxics.Names(), func(name string) bool { return injected[name] })
}

// play is what the test binary does as another process; nothing for arguments of the test itself.
func play(part string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch part {
	case keeperPart:
		kafkatoxic.Register()
		return local.RunKeeper(ctx, os.Stdin, os.Stdout, func(_ harness.Link, p *toxiproxy.Proxy) error { return kafkatoxic.Prepare(p) })
	case workloads.Subcommand:
		return workloads.RunProcess(context.Background(), os.Stdin, os.Stdout)
	}
	return nil
}

// shared is the one cluster of all tests.
var shared struct {
	once    sync.Once
	cluster harness.Cluster
	logs    string
	err     error
}

// brokers returns the shared cluster. A test leaves it as it found it: every fault healed, every replica in sync.
func brokers(t *testing.T) harness.Cluster {
	t.Helper()
	shared.once.Do(func() {
		if shared.logs, shared.err = os.MkdirTemp("", "chaeos-faults-"); shared.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		provider := local.New(local.DefaultCache(), []string{os.Args[0], keeperPart})
		shared.cluster, shared.err = provider.Start(ctx, harness.ClusterSpec{LogDir: shared.logs, Properties: map[string]string{
			"offsets.retention.check.interval.ms": "500",  // offsets that expire are gone soon
			"replica.lag.time.max.ms":             "5000", // followers that are cut off leave the ISR soon
		}})
	})
	require.NoError(t, shared.err)
	return shared.cluster
}
