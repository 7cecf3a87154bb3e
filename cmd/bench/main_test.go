// Package bench measures what we add to Kafka, on real brokers: the source against a bare producer, the read-back against a
// bare consumer, the verifier's time and memory. Its figures are ratios of one run: what they are made of alternates, so
// that a machine that slows down slows both.
package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/workloads"
)

// The test binary plays other parts, each a process of its own as in a run: who needs one more adds a line here, and
// starts it with child.
const (
	keeperPart   = "chaeos-bench-keeper"
	sourcePart   = "source"
	barePart     = "bare"
	verifierPart = "verifier"
	pollPart     = "poll"
	limitPart    = "limit"
	readBackPart = "readback"
	samplerPart  = "sampler"
	// memberPart is what a fleet calls a process.
	memberPart  = workloads.Subcommand
	commandPart = "command"
)

var parts = map[string]func(context.Context, io.Reader, io.Writer) error{
	keeperPart: beKeeper, sourcePart: workloads.RunProcess, barePart: beBare, verifierPart: beVerifier,
	pollPart: reader(pollAll), limitPart: reader(fetchAll), readBackPart: reader(readBackAll), samplerPart: beSampler, memberPart: workloads.RunProcess,
	commandPart: beCommand,
}

// benchRun is the run that all benchmarks' records belong to.
var benchRun = history.RunIDOf("bench")

// child plays a part in a process of its own: it gets one value, and its answer is read.
func child(b *testing.B, part string, asked, answer any) {
	in, err := json.Marshal(asked)
	require.NoError(b, err)
	cmd := exec.CommandContext(b.Context(), os.Args[0], part)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	require.NoError(b, err, part)
	require.NoError(b, json.Unmarshal(out, answer), part)
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
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
	kafkatoxic.Register()
	return local.RunKeeper(ctx, in, out, prepareLink)
}
