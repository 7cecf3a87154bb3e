package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal/screen"
	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/suite"
	"github.com/chaeos/chaeos/results"
)

// fakeSuites has one suite of two experiments, whose runs leave a folder and exit as the test wants.
func fakeSuites(t *testing.T, exit func(suite.Item) int) suites {
	t.Helper()
	return suites{
		names: []string{"smoke"},
		find: func(name string) ([]string, int, error) {
			if name != "smoke" {
				return nil, 0, usage.Errorf("unknown suite %q", name)
			}
			return []string{"baseline", "leader-partition"}, 1, nil
		},
		do: func(_ context.Context, dir string, i suite.Item, _ []string) (suite.Result, error) {
			runFolder(t, dir, "run-"+i.String())
			return suite.Result{Item: i, Run: "run-" + i.String(), Exit: exit(i), Took: time.Minute}, nil
		},
	}
}

func allGood(suite.Item) int { return exitExpected }

func theSuite(t *testing.T, out string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(out, "*-suite-*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

func TestSuiteSumsUp(t *testing.T) {
	for name, c := range map[string]struct {
		exits map[string]int
		code  int
	}{
		"as expected": {map[string]int{}, exitExpected},
		"violated":    {map[string]int{"baseline": 4, "leader-partition": 3}, exitViolated},
		"failed":      {map[string]int{"baseline": 1, "leader-partition": 3}, exitInfrastructure},
	} {
		b := newBench(t)
		b.parts.suites = fakeSuites(t, func(i suite.Item) int { return c.exits[i.Experiment] })
		out := t.TempDir()
		require.Equal(t, c.code, b.do("run", "--suite", "smoke", "--repeat", "2", "--out", out, "--json"), name)
		var sum results.Summary
		require.NoError(t, json.Unmarshal(b.out.Bytes(), &sum))
		require.Equal(t, 4, sum.Runs)
		book, err := suite.Open(theSuite(t, out))
		require.NoError(t, err)
		require.Empty(t, book.Left())
	}
}

func TestSuitePassesTheRunsFlagsOn(t *testing.T) {
	b := newBench(t)
	var got []string
	b.parts.suites = fakeSuites(t, allGood)
	inner := b.parts.suites.do
	b.parts.suites.do = func(ctx context.Context, dir string, i suite.Item, args []string) (suite.Result, error) {
		got = append(got, i.String()+" "+strings.Join(args, " "))
		return inner(ctx, dir, i, args)
	}
	require.Zero(t, b.do("run", "baseline", "--repeat", "2", "--seed", "7", "--out", t.TempDir(), "--rate", "12", "--pipelines", "acks1,idempotent"))
	require.Equal(t, []string{
		"baseline seed 7 --pipelines=acks1,idempotent --rate=12", "baseline seed 8 --pipelines=acks1,idempotent --rate=12",
	}, got)
	require.Contains(t, b.out.String(), "suite own")
}

func TestInterruptedSuiteGoesOn(t *testing.T) {
	b := newBench(t)
	out := t.TempDir()
	b.parts.suites = fakeSuites(t, allGood)
	good := b.parts.suites.do
	b.parts.suites.do = func(ctx context.Context, dir string, i suite.Item, args []string) (suite.Result, error) {
		if i.Experiment == "leader-partition" {
			b.signals <- syscall.SIGINT
			<-ctx.Done()
			return suite.Result{}, suite.ErrInterrupted
		}
		return good(ctx, dir, i, args)
	}
	require.Equal(t, exitInconclusive, b.do("run", "--suite", "smoke", "--out", out, "--rate", "12"))
	dir := theSuite(t, out)
	require.Contains(t, b.err.String(), "continue it: chaeos run --resume "+dir)
	require.Contains(t, b.out.String(), "1 run on local", "what there is is summed up")

	b = newBench(t)
	b.parts.suites = fakeSuites(t, allGood)
	require.Zero(t, b.do("run", "--resume", dir))
	require.Contains(t, b.err.String(), "1 of 2 runs to do")
	require.Contains(t, b.out.String(), "2 runs on local")
}

func TestSuiteRefuses(t *testing.T) {
	for name, c := range map[string]struct{ args, says string }{
		"both":              {"run baseline --suite smoke", "leave out baseline"},
		"unknown":           {"run --suite smok", "unknown suite"},
		"none":              {"run --repeat 3", "at least one experiment, or --suite"},
		"jobs":              {"run --suite smoke --jobs many", `--jobs "many"`},
		"no jobs":           {"run --suite smoke --jobs 0", `--jobs "0"`},
		"repeat":            {"run baseline --repeat -1", "--repeat -1"},
		"repeat none":       {"run baseline --repeat 0", "--repeat 0: give a number from 1 to 10000"},
		"repeat a suite":    {"run --suite smoke --repeat 0", "--repeat 0: give a number from 1 to 10000"},
		"keep":              {"run --suite smoke --keep", "--keep leaves one cluster running"},
		"resume nothing":    {"run --resume /nowhere", "not a suite's folder"},
		"resume with names": {"run baseline --resume /nowhere", "leave out experiments"},
		"resume with flags": {"run --resume /nowhere --rate 3", "leave out --rate=3"},
		"a later mistake":   {"run baseline xyzzy --repeat 2", "unknown experiment"},
	} {
		b := newBench(t)
		b.parts.suites = fakeSuites(t, func(suite.Item) int { t.Error("nothing is started"); return 0 })
		out := t.TempDir()
		require.Equal(t, exitUsage, b.do(append(strings.Fields(c.args), "--out", out)...), name)
		require.Contains(t, b.err.String(), c.says, name)
		left, err := os.ReadDir(out)
		require.NoError(t, err)
		require.Empty(t, left, name)
	}
}

// script makes a program that stands in for this one.
func script(t *testing.T, body string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chaeos")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755))
	return []string{path}
}

func TestChildRun(t *testing.T) {
	item := suite.Item{Experiment: "baseline", Seed: 3}
	reported, err := json.Marshal(harness.Report{Run: "20260101T000000-baseline-3", Exit: 3})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		body string
		want suite.Result
	}{
		"a report":        {"echo '" + string(reported) + "'; exit 3", suite.Result{Item: item, Run: "20260101T000000-baseline-3", Exit: 3}},
		"no report":       {"echo 'chaeos: no Java' >&2; exit 1", suite.Result{Item: item, Exit: 1, Error: "chaeos: no Java"}},
		"killed":          {"kill -9 $$", suite.Result{Item: item, Exit: 1}},
		"a silent zero":   {"exit 0", suite.Result{Item: item, Exit: 1}},
		"the right flags": {`[ "$*" = "run baseline --seed 3 --out ` + "DIR" + ` --json --rate=5" ] || { echo "$*" >&2; exit 2; }; echo '` + string(reported) + `'; exit 3`, suite.Result{Item: item, Run: "20260101T000000-baseline-3", Exit: 3}},
	} {
		dir := t.TempDir()
		got, err := runChild(script(t, strings.ReplaceAll(c.body, "DIR", dir)))(t.Context(), dir, item, []string{"--rate=5"})
		require.NoError(t, err, name)
		require.Positive(t, got.Took)
		require.Contains(t, got.Error, c.want.Error, name)
		got.Took, got.Error, c.want.Error = 0, "", ""
		require.Equal(t, c.want, got, name)
		require.FileExists(t, filepath.Join(dir, "baseline-3.log"))
	}
}

// TestInterruptedChild gets a signal, may report what it has, and its folder is set aside.
func TestInterruptedChild(t *testing.T) {
	dir := t.TempDir()
	runFolder(t, dir, "cut")
	ctx, cancel := context.WithCancel(t.Context())
	self := script(t, `trap 'echo "{\"run\": \"cut\"}"; exit 4' INT
touch `+dir+`/ready
while :; do sleep 0.05; done`)
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
				cancel()
				return
			}
		}
	}()
	_, err := runChild(self)(ctx, dir, suite.Item{Experiment: "baseline", Seed: 1}, nil)
	require.ErrorIs(t, err, suite.ErrInterrupted)
	require.NoDirExists(t, filepath.Join(dir, "cut"))
	require.DirExists(t, filepath.Join(dir, "interrupted", "cut"))
}

func TestUnderWay(t *testing.T) {
	u := &underWay{}
	require.Equal(t, "0 of 3 runs done", u.text(0, 3))
	u.begin(suite.Item{Experiment: "baseline", Seed: 1})
	u.begin(suite.Item{Experiment: "latency", Seed: 2})
	require.Equal(t, "0 of 3 runs done, now baseline seed 1, latency seed 2", u.text(0, 3))
	u.end(suite.Item{Experiment: "baseline", Seed: 1})
	require.Equal(t, "1 of 3 runs done, now latency seed 2", u.text(1, 3))
}

// TestALiveSuiteSaysWhereItIs on a terminal, and leaves nothing of it there.
func TestALiveSuiteSaysWhereItIs(t *testing.T) {
	pty := screen.Open(t)
	b := newBench(t)
	b.live, b.stderr = true, pty.File
	b.parts.suites = fakeSuites(t, allGood)
	inner := b.parts.suites.do
	b.parts.suites.do = func(ctx context.Context, dir string, i suite.Item, args []string) (suite.Result, error) {
		if i.Experiment == "leader-partition" {
			pty.Await(t, func(s []string) bool {
				last := s[len(s)-1]
				return strings.HasPrefix(last, "suite 0s  1 of 2 runs done, now leader-partition seed 1")
			})
		}
		return inner(ctx, dir, i, args)
	}
	require.Zero(t, b.do("run", "--suite", "smoke", "--out", t.TempDir()))
	shown := pty.Await(t, func(s []string) bool { return strings.HasSuffix(s[len(s)-1], "(0 left)") })
	require.NotContains(t, strings.Join(shown, "\n"), "runs done")
}
