// Package bench measures a source beside a bare producer, on real brokers. Its figures are ratios of one run: what they
// are made of alternates, so that a machine that slows down slows both.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/workloads"
)

// The test binary plays three more parts, each a process of its own as in a run.
const (
	keeperPart   = "chaeos-bench-keeper"
	sourcePart   = "source"
	barePart     = "bare"
	verifierPart = "verifier"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		parts := map[string]func(context.Context, io.Reader, io.Writer) error{
			keeperPart: beKeeper, sourcePart: workloads.RunProcess, barePart: beBare, verifierPart: beVerifier,
		}
		if be := parts[os.Args[1]]; be != nil {
			if err := be(context.Background(), os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func beKeeper(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	return local.RunKeeper(ctx, in, out, nil)
}
