package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
)

// TestCommands holds every command's output and exit code against a golden file.
func TestCommands(t *testing.T) {
	for name, c := range map[string]struct {
		args string
		code int
	}{
		"help":            {"", exitExpected},
		"help-run":        {"run --help", exitExpected},
		"list":            {"list", exitExpected},
		"show":            {"show baseline --seed 7", exitExpected},
		"show-yaml":       {"show baseline --yaml", exitExpected},
		"version":         {"version", exitExpected},
		"doctor":          {"doctor", exitExpected},
		"doctor-json":     {"doctor --json", exitExpected},
		"run":             {"run baseline", exitExpected},
		"run-json":        {"run baseline --json", exitExpected},
		"run-two":         {"run baseline broker-kill", exitExpected},
		"command-unknown": {"runn baseline", exitUsage},
		"cluster-unknown": {"cluster sideways", exitUsage},
		"flag-unknown":    {"run baseline --sede 7", exitUsage},
		"flag-far":        {"list --xyzzy", exitUsage},
		"flag-short":      {"list -x", exitUsage},
		"show-two":        {"show baseline broker-kill", exitUsage},
		"flag-value":      {"run baseline --seed -7", exitUsage},
		"experiment":      {"run xyzzy", exitUsage},
		"experiment-two":  {"run baseline xyzzy", exitUsage},
		"duration-short":  {"run baseline broker-kill --duration 5s", exitUsage},
		"show-none":       {"show", exitUsage},
		"show-unknown":    {"show xyzzy", exitUsage},
		"run-none":        {"run", exitUsage},
		"list-faults":     {"list faults", exitExpected},
		"list-targets":    {"list targets", exitExpected},
		"list-all":        {"list experiments", exitExpected},
		"list-pipelines":  {"list pipelines", exitExpected},
		"list-suites":     {"list suites", exitExpected},
		"list-triggers":   {"list triggers", exitExpected},
		"show-a-pipeline": {"show transactional", exitExpected},
		"version-flag":    {"--version", exitExpected},
		"list-one-fault":  {"list faults latency", exitExpected},
		"list-no-fault":   {"list faults latncy", exitUsage},
		"show-fault":      {"show refuse", exitExpected},
		"list-argument":   {"list baseline", exitUsage},
		"yaml":            {"run broken.yaml", exitUsage},
		"pipeline":        {"run baseline --pipelines idempotent,transactionl", exitUsage},
		"pipeline-twice":  {"run baseline --pipelines acks1,acks1", exitUsage},
		"pipeline-empty":  {"run baseline --pipelines=", exitUsage},
		"rate-negative":   {"run baseline --rate -5", exitUsage},
		"rate-zero":       {"run baseline --rate 0", exitUsage},
		"rate-nan":        {"run baseline --rate NaN", exitUsage},
		"rate-infinite":   {"run baseline --rate Inf", exitUsage},
		"rate-huge":       {"run baseline --rate 1e308", exitUsage},
		"rate-tiny":       {"run baseline --rate 1e-7", exitUsage},
		"rate-word":       {"run baseline --rate fast", exitUsage},
		"duration-zero":   {"run baseline --duration 0", exitUsage},
		"duration-tiny":   {"run baseline --duration 1ns", exitUsage},
		"duration-years":  {"run baseline --duration 2562047h", exitUsage},
		"duration-ages":   {"run baseline --duration 3000000h", exitUsage},
		"min-isr-word":    {"run baseline --min-isr all", exitUsage},
		"jobs-none":       {"run baseline --jobs", exitUsage},
		"duration-word":   {"run baseline --duration soon", exitUsage},
		"kafka":           {"run baseline --kafka latest", exitUsage},
		"kafka-home":      {"run baseline --kafka-home /nowhere", exitUsage},
		"kafka-both":      {"run baseline --kafka-home /nowhere --kafka 4.3.1", exitUsage},
		"provider":        {"run baseline --cluster loacl", exitUsage},
		"image-local":     {"run baseline --cluster local --image own/kafka", exitUsage},
		"image-home":      {"run baseline --image own/kafka --kafka-home /nowhere", exitUsage},
		"brokers":         {"run baseline --brokers 2", exitUsage},
		"brokers-none":    {"run baseline --brokers 0", exitUsage},
		"controllers":     {"run baseline --controllers 2", exitUsage},
		"racks":           {"run baseline --racks a,b,c,d", exitUsage},
		"feature":         {"run baseline --feature transaction.version=two", exitUsage},
		"property":        {"run baseline --property replica.lag.time.max.ms", exitUsage},
		"min-isr":         {"run baseline --min-isr 4", exitUsage},
		"up-controllers":  {"cluster up --controllers 4", exitUsage},
		"out-empty":       {"run baseline --out=", exitUsage},
		"keep-two":        {"run baseline broker-kill --keep", exitUsage},
		"verify-none":     {"verify", exitUsage},
		"verify-not-run":  {"verify /nowhere", exitUsage},
		"explain":         {"explain testdata/run 4711 --pipeline idempotent", exitExpected},
		"explain-json":    {"explain testdata/run 4711 --json", exitExpected},
		"explain-kind":    {"explain testdata/run --dup -k 2", exitExpected},
		"explain-nothing": {"explain testdata/run --torn --lost", exitExpected},
		"explain-help":    {"explain --help", exitExpected},
		"export":          {"export testdata/run", exitExpected},
		"export-to":       {"export testdata/run --to elsewhere", exitExpected},
		"export-to-none":  {"export testdata/run --to=", exitUsage},
		"export-none":     {"export", exitUsage},
		"export-not-run":  {"export /nowhere", exitUsage},
		"jepsen":          {"export --jepsen elsewhere testdata/run", exitExpected},
		"jepsen-none":     {"export --jepsen= testdata/run", exitUsage},
		"jepsen-to":       {"export --jepsen elsewhere --to elsewhere testdata/run", exitUsage},
		"jepsen-not-run":  {"export --jepsen elsewhere /nowhere", exitUsage},
		"explain-none":    {"explain", exitUsage},
		"explain-alone":   {"explain testdata/run", exitUsage},
		"explain-both":    {"explain testdata/run 7 --lost", exitUsage},
		"explain-number":  {"explain testdata/run --lost -k 0", exitUsage},
		"explain-not-run": {"explain /nowhere 7", exitUsage},
		"up-kafka":        {"cluster up --kafka 4", exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			code := b.do(strings.Fields(c.args)...)
			golden.Equal(t, "testdata/"+name+".txt", fmt.Sprintf("$ chaeos %s\n%s%sexit code %d\n", c.args, b.out.String(), b.err.String(), code))
			require.Equal(t, c.code, code)
			if code == exitUsage {
				require.Empty(t, b.out.String(), "stdout is for results")
				require.Empty(t, b.requests, "nothing was started")
			}
		})
	}
}

func TestExitCode(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code int
	}{
		"none":        {nil, 0},
		"other":       {errors.New("no Java"), 1},
		"usage":       {fmt.Errorf("experiment: %w", usage.Errorf("no")), 2},
		"violated":    {outcome(3), 3},
		"interrupted": {fmt.Errorf("warm: %w", errInterrupted), 4},
		"joined":      {errors.Join(errors.New("teardown"), harness.UsageError{Reason: "no"}), 2},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.code, exitCode(c.err)) })
	}
}

// TestPanicIsNoMistakeOfTheUser: Go's own exit code for a panic is the one for usage.
func TestPanicIsNoMistakeOfTheUser(t *testing.T) {
	b := newBench(t)
	b.parts.facts = func(context.Context) []provider.Fact { panic("no such disk") }
	require.Equal(t, exitInfrastructure, b.do("doctor"))
	require.Contains(t, b.err.String(), "chaeos: a mistake in chaeos itself: no such disk\n")
	require.Contains(t, b.err.String(), "command_test.go", "where it was")
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		codes []int
		worst int
	}{{nil, 0}, {[]int{0, 0}, 0}, {[]int{0, 4}, 4}, {[]int{4, 3, 0}, 3}, {[]int{3, 1}, 1}, {[]int{1, 2, 3}, 2}} {
		require.Equal(t, c.worst, worst(c.codes), "%v", c.codes)
	}
}

func TestShellWord(t *testing.T) {
	require.Equal(t, "runs/2026-x.2", shellWord("runs/2026-x.2"))
	require.Equal(t, `'my run'`, shellWord("my run"))
	require.Equal(t, `'it'\''s'`, shellWord("it's"))
	require.Equal(t, `''`, shellWord(""))
}

func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"__complete run ":             "leader-partition\tthe leader is cut off",
		"__complete show b":           "broker-kill",
		"__complete run x --cluster ": "local",
		"__complete run --pipelines ": "transactional",
		"completion bash":             "bash completion",
	} {
		b := newBench(t)
		require.Zero(t, b.do(strings.Split(args, " ")...), args)
		require.Contains(t, b.out.String(), want)
	}
}

func TestChildrenAreHidden(t *testing.T) {
	for _, name := range []string{"keeper", "worker"} {
		b := newBench(t)
		b.stdin = strings.NewReader("plan")
		require.Zero(t, b.do(name))
		require.Equal(t, "plan", b.out.String())
		require.Equal(t, exitUsage, b.do(name, "more"))
		require.Zero(t, b.do("--help"))
		require.NotContains(t, b.out.String(), name+" ")
	}
}
