package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/catalogue"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/harness/history"
)

func fakeByHand() byHand {
	return byHand{
		kinds: []faultHelp{
			{name: "broker-kill", about: "ends the broker's process"},
			{name: "latency", about: "delays bytes", hits: "brokers or workers", options: [][2]string{{"latency", "how long"}, {"links", "which"}}},
			{name: "refuse", about: "closes links", hits: "brokers"},
		},
		targets: []string{"leader of TOPIC/PARTITION", "broker N"},
		check:   catalogue.ByHand,
		inject: func(ctx context.Context, _ harness.Cluster, f harness.ScheduledFault, _ uint64, t harness.Terminal) (harness.ByHand, error) {
			r := harness.ByHand{FaultRecord: harness.FaultRecord{
				Fault: f.Name, Target: f.Target, Options: fmt.Sprint(f.Fault), For: f.For, Injected: 1,
				Resolved: harness.Resolved{Text: "broker 2 (leads output/1)", Links: []string{"2-1-replication"}}, Reaction: "leadership did not move",
				Proofs: []harness.Proof{
					{Pipeline: "orders", Text: "312 kB delayed on client-2, but no record was in flight"},
					{Pipeline: "payments", Text: "312 kB delayed on client-2"},
				},
			}}
			t.Note(r.Resolved.Text)
			r.Links = map[string]harness.LinkBytes{"2-1-replication": {UpstreamIn: 500, UpstreamOut: 200, DownstreamOut: 90, DownstreamIn: 90}}
			r.Healed = history.Time(f.For) + 1
			if f.For == 0 {
				<-ctx.Done()
				r.Healed = history.Time(3 * time.Second)
			}
			return r, nil
		},
	}
}

// up makes a cluster that the commands find.
func (b *bench) up() *bench {
	b.parts.clusters.attach = func(context.Context) (harness.Cluster, error) { return fakeCluster{}, nil }
	return b
}

func TestInjectSaysWhatItDid(t *testing.T) {
	b := newBench(t).up()
	require.Zero(t, b.do("inject", "latency", "--target", "broker 2", "--for", "2s", "latency=50ms..90ms", "links=[client, replication]", "--seed", "4"), b.err.String())
	golden.Equal(t, "testdata/inject.txt", b.out.String())
	b.out.Reset()
	require.Zero(t, b.do("inject", "--help"))
	golden.Equal(t, "testdata/inject-help.txt", b.out.String())
}

// TestInjectTakesWhatReportsPrint: the command that a report gives for a hanging transaction is one that inject takes.
func TestInjectTakesWhatReportsPrint(t *testing.T) {
	at := harness.HangingInPart{Topic: "20261130T014500-lingering-txn-3-output", Partition: 2}
	for _, silent := range []time.Duration{0, 300 * time.Millisecond, 85500 * time.Millisecond, 40 * time.Hour} {
		command := at.AbortByChaeos(silent)
		target := fmt.Sprintf("partition %s/%d", at.Topic, at.Partition)
		before, after, ok := strings.Cut(command, `"`+target+`"`) // a shell takes the quotes away
		require.True(t, ok, command)
		args := append(append(strings.Fields(before), target), strings.Fields(after)...)
		require.Equal(t, "chaeos", args[0])
		b := newBench(t).up()
		require.Zero(t, b.do(args[1:]...), "%s: %s", command, b.err.String())
		require.Contains(t, b.out.String(), "transaction-abort")
		require.Contains(t, b.out.String(), target)
	}
}

func TestInjectHealsAtCtrlC(t *testing.T) {
	b := newBench(t).up()
	b.signals <- os.Interrupt
	require.Zero(t, b.do("inject", "broker-kill"), b.err.String())
	require.Contains(t, b.out.String(), "after 3.0s")
	require.Contains(t, b.err.String(), "interrupted: healing")
}

func TestInjectThatCouldNotHealSaysSo(t *testing.T) {
	b := newBench(t).up()
	b.parts.byHand.inject = func(context.Context, harness.Cluster, harness.ScheduledFault, uint64, harness.Terminal) (harness.ByHand, error) {
		return harness.ByHand{FaultRecord: harness.FaultRecord{Fault: "broker-kill", Injected: 5, Error: "heal: it does not start"}}, errors.New("healing: it does not start")
	}
	require.Equal(t, exitInfrastructure, b.do("inject", "broker-kill", "--for", "1s"))
	require.Contains(t, b.out.String(), "healed  no: heal: it does not start")
}

func TestInjectRefusesBeforeItLooksForACluster(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "takes at least a fault (one of broker-kill, latency"},
		{[]string{"latancy"}, `unknown fault "latancy" (did you mean latency?)`},
		{[]string{"latency", "latency"}, `expected an option like latency=200ms, not "latency"`},
		{[]string{"latency", "latency=1s", "latency=2s"}, "the option latency is given twice"},
		{[]string{"latency", "latency=slow"}, `latency: expected a duration from 1ms to 1m0s, not "slow"`},
		{[]string{"latency", "latency=[1"}, "latency=[1: not YAML"},
		{[]string{"latency", "latency=9ms..1ms"}, "must be a range with its low end first"},
		{[]string{"latency", "latency=1s", "softly=yes"}, "softly: latency takes"},
		{[]string{"broker-kill", "--target", "the boss"}, `"the boss" is no target`},
		{[]string{"worker-kill", "--target", "worker 0"}, "no run plays on this cluster"},
		{[]string{"broker-kill", "--for", "-1s"}, "--for -1s: give 100ms to 24h0m0s"},
		{[]string{"broker-kill", "--for", "1ns"}, "--for 1ns: give 100ms to 24h0m0s"},
		{[]string{"broker-kill", "--for", "25h"}, "--for 25h0m0s: give 100ms to 24h0m0s"},
		{[]string{"broker-kill", "--for", "soon"}, `--for "soon": give a time like 40s`},
	} {
		b := newBench(t)
		b.parts.clusters.attach = func(context.Context) (harness.Cluster, error) { panic("looked for a cluster") }
		require.Equal(t, exitUsage, b.do(append([]string{"inject"}, c.args...)...), "%v: %s", c.args, b.err.String())
		require.Contains(t, b.err.String(), c.want)
	}
	b := newBench(t).up()
	require.Equal(t, exitUsage, b.do("inject", "broker-kill", "--target", "broker 3"), "the cluster has two")
	require.Contains(t, b.err.String(), "brokers go from 1 to 2")
	b = newBench(t)
	b.parts.clusters.attach = func(context.Context) (harness.Cluster, error) { return nil, provider.ErrNoCluster }
	require.Equal(t, exitInfrastructure, b.do("inject", "broker-kill"))
	require.Contains(t, b.err.String(), "chaeos cluster up")
}
