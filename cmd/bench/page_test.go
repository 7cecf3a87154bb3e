package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/verifiers"
)

// commanded is what a command took: time, the processors' time, and the most memory that it ever had resident.
type commanded struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakMiB    float64 `json:"peakMiB"`
	Exit       int     `json:"exit"`
}

// beCommand runs the command that it is given. It is a process of its own because the kernel counts the memory of a process that
// starts another as that one's: this one has little.
func beCommand(ctx context.Context, in io.Reader, out io.Writer) error {
	var args []string
	if err := json.NewDecoder(in).Decode(&args); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	begin := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return err
	}
	said := commanded{Seconds: time.Since(begin).Seconds(), Exit: cmd.ProcessState.ExitCode()}
	said.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("no resource usage of %s", args[0])
	}
	said.PeakMiB = float64(usage.Maxrss) / 1024
	return json.NewEncoder(out).Encode(said)
}

// BenchmarkPage writes the page of a run of ten minutes with 5 M records in its logs, as chaeos report --html does, next to
// the same command that only judges it.
func BenchmarkPage(b *testing.B) {
	dir, chaeos := filepath.Join(b.TempDir(), "long"), filepath.Join(b.TempDir(), "chaeos")
	makeLongRun(b, dir, 5_000_000)
	build := exec.Command("go", "build", "-o", chaeos, "github.com/chaeos/chaeos/cmd/chaeos")
	said, err := build.CombinedOutput()
	require.NoError(b, err, "%s", said)
	var seconds, cpu, ratio, peak []float64
	var size int64
	for b.Loop() {
		var judged, drawn commanded
		child(b, commandPart, []string{chaeos, "verify", dir}, &judged)
		child(b, commandPart, []string{chaeos, "report", dir, "--html"}, &drawn)
		require.Zero(b, drawn.Exit)
		info, err := os.Stat(filepath.Join(dir, "report.html"))
		require.NoError(b, err)
		size = info.Size()
		seconds, cpu, peak = append(seconds, drawn.Seconds), append(cpu, drawn.CPUSeconds), append(peak, drawn.PeakMiB)
		ratio = append(ratio, drawn.CPUSeconds/judged.CPUSeconds)
	}
	b.ReportMetric(median(seconds), "s/page")
	b.ReportMetric(median(cpu), "cpu-s")
	b.ReportMetric(median(ratio), "ratio")
	b.ReportMetric(median(peak), "MiB-peak")
	b.ReportMetric(float64(size)/(1<<20), "MiB-page")
	b.ReportMetric(0, "ns/op") // says nothing: both commands
}

// TestLongRun: the run that the benchmark draws has in it what a page must show.
func TestLongRun(t *testing.T) {
	dir := t.TempDir()
	makeLongRun(t, dir, 1_000_000) // two minutes: a cut leader, and a kill
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	require.Empty(t, report.Inconclusive)
	require.Len(t, report.Rows, 4)
	acks1, early, late, txns := report.Rows[0].Numbers, report.Rows[1].Numbers, report.Rows[2].Numbers, report.Rows[3].Numbers
	require.EqualValues(t, unreplicated*struck*perBatch, acks1.Count("lost"))
	require.EqualValues(t, skipped*struck*perBatch, early.Count("lost"))
	require.EqualValues(t, again*struck*perBatch, late.Count("duplicates"))
	require.EqualValues(t, 1, txns.Count("torn"))
	require.EqualValues(t, struck, txns.Count("lsoStalls"))
}
