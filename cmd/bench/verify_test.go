package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers"
)

// verified is what a child process says of the one run that it judged.
type verified struct {
	Seconds float64 `json:"seconds"`
	// CPUSeconds are those of all its threads: on a machine that others use, too, they say more than the time.
	CPUSeconds float64 `json:"cpuSeconds"`
	// PeakKiB is the most memory that the process ever had resident (VmHWM: since it began to be this program).
	PeakKiB int64           `json:"peakKiB"`
	Report  *harness.Report `json:"report"`
}

// beVerifier judges the run in the folder it is given, once, as chaeos verify does: nothing limits its memory.
func beVerifier(_ context.Context, in io.Reader, out io.Writer) error {
	var dir string
	if err := json.NewDecoder(in).Decode(&dir); err != nil {
		return err
	}
	begin, cpu := time.Now(), cpuSeconds()
	report, err := verifiers.Judge(dir)
	if err != nil {
		return err
	}
	said := verified{Seconds: time.Since(begin).Seconds(), CPUSeconds: cpuSeconds() - cpu, Report: report}
	if said.PeakKiB, err = peakMemory(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(said)
}

// cpuSeconds is what this process has used of its processors.
func cpuSeconds() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic("getrusage: " + err.Error()) // it fails on a wrong argument only
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// peakMemory is this process's largest resident set, in KiB.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no VmHWM")
}

// BenchmarkVerify judges saved runs of 1 M and 10 M records in their logs, each in a process of its own: how fast, and
// with how much memory. The runs hold losses, duplicates and a transaction of unknown end, so that no pass is skipped.
func BenchmarkVerify(b *testing.B) {
	sizes := map[string]uint64{"1M": 1_000_000, "10M": 10_000_000}
	dirs := map[string]string{}
	for name, n := range sizes {
		dirs[name] = filepath.Join(b.TempDir(), name)
		makeBigRun(b, dirs[name], n)
	}
	peaks, rates := map[string][]float64{}, map[string][]float64{}
	var cpu []float64
	for b.Loop() {
		for _, name := range []string{"1M", "10M"} {
			var said verified
			child(b, verifierPart, dirs[name], &said)
			requireJudged(b, said.Report, sizes[name])
			peaks[name] = append(peaks[name], float64(said.PeakKiB)/1024)
			rates[name] = append(rates[name], float64(sizes[name])/said.Seconds)
			if name == "10M" {
				cpu = append(cpu, said.CPUSeconds)
			}
		}
	}
	b.ReportMetric(median(rates["10M"]), "records/s")
	b.ReportMetric(slices.Max(rates["10M"]), "records/s-best")
	b.ReportMetric(median(cpu), "cpu-s")
	b.ReportMetric(median(peaks["1M"]), "MiB-1M")
	b.ReportMetric(median(peaks["10M"]), "MiB-10M")
	b.ReportMetric(median(peaks["10M"])-median(peaks["1M"]), "MiB-growth")
	b.ReportMetric(0, "ns/op") // says nothing: both runs
}

// requireJudged: a verifier that overlooks what is wrong would be fast for nothing.
func requireJudged(b *testing.B, report *harness.Report, records uint64) {
	batches := records / 4 / partitions / perBatch
	require.Equal(b, 3, len(report.Rows))
	for _, row := range report.Rows {
		require.Equal(b, batches*partitions*perBatch, row.Numbers.Count("input"), row.Pipeline)
	}
	plain, txns := report.Rows[1].Numbers, report.Rows[2].Numbers
	require.Equal(b, batches/everyLost*partitions, plain.Count("lost"))
	require.Equal(b, batches/everyTwice*partitions, plain.Count("duplicates"))
	require.EqualValues(b, 1, txns.Count("unknownHappened"))
	require.Equal(b, txns.Count("input"), txns.Count("unique"))
	require.Zero(b, txns.Count("torn"))
}
