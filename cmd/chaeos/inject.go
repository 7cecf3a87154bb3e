package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/catalogue"
	"github.com/chaeos/chaeos/toxics/inject"
)

// byHand is what inject needs of the project's other rooms.
type byHand struct {
	// kinds are all faults, each with what it does and its options, for the help.
	kinds []faultHelp
	// targets are the ways to write a target.
	targets []string
	check   func(catalogue.HandRequest) (harness.ScheduledFault, error)
	inject  func(context.Context, harness.Cluster, harness.ScheduledFault, uint64, harness.Terminal) (harness.ByHand, error)
}

// faultHelp describes one fault for people.
type faultHelp struct {
	name, about string
	// hits is what its targets select: "brokers or workers".
	hits    string
	options [][2]string
}

// defaultTarget is hit if no target is named: every cluster has it.
const defaultTarget = "broker 1"

func (a *app) injectCommand() *cobra.Command {
	var h catalogue.HandRequest
	c := &cobra.Command{
		Use:   "inject FAULT [OPTION=VALUE...]",
		Short: "Inject one fault by hand into the cluster that is up, and heal it",
		Long: `Inject one fault by hand into a cluster that was left running (chaeos cluster up), show what it hit and what that did,
and heal it when its time is over or at Ctrl-C. Topics, groups and transactional ids in a target are the cluster's own:
"leader of orders/0". Values of options are written as in an experiment's YAML: latency=50ms..200ms,
links=[client, replication].

A second Ctrl-C leaves at once, and the fault stays: chaeos cluster down ends it with the cluster.

` + a.faultsHelp(),
		Args:              someArgs("a fault", "one of "+strings.Join(a.faultNames(), ", ")),
		ValidArgsFunction: a.completeFault,
		RunE: func(c *cobra.Command, args []string) error {
			h.Fault, h.Options = args[0], args[1:]
			return a.inject(c.Context(), h)
		},
	}
	c.Flags().StringVar(&h.Target, "target", defaultTarget, "what it hits")
	c.Flags().DurationVar(&h.For, "for", 0, "how long (default: until Ctrl-C)")
	c.Flags().Uint64Var(&h.Seed, "seed", defaultSeed, "what ranges and choices are drawn from")
	complete(c, "target", a.parts.byHand.targets)
	return c
}

// faultsHelp lists every fault with its options, and every way to write a target.
func (a *app) faultsHelp() string {
	var b bytes.Buffer
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "Faults and their options:")
	for _, k := range a.parts.byHand.kinds {
		fmt.Fprintf(lines, "  %s\t%s\n", k.name, k.about)
		for _, o := range k.options {
			fmt.Fprintf(lines, "    %s\t  %s\n", o[0], o[1])
		}
	}
	fmt.Fprintln(lines, "\nTargets:")
	for _, t := range a.parts.byHand.targets {
		fmt.Fprintf(lines, "  %s\n", t)
	}
	_ = lines.Flush() // the writer below is in memory
	return strings.TrimRight(b.String(), "\n")
}

func (a *app) faultNames() (names []string) {
	for _, k := range a.parts.byHand.kinds {
		names = append(names, k.name)
	}
	return names
}

// completeFault offers the faults, and after one its options.
func (a *app) completeFault(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, k := range a.parts.byHand.kinds {
		if len(args) == 0 {
			out = append(out, cobra.CompletionWithDesc(k.name, k.about))
			continue
		}
		if k.name == args[0] {
			for _, o := range k.options {
				out = append(out, cobra.CompletionWithDesc(o[0]+"=", o[1]))
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) inject(ctx context.Context, h catalogue.HandRequest) error {
	if _, err := a.parts.byHand.check(h); err != nil { // a typing error needs no cluster
		return err
	}
	cluster, err := a.parts.clusters.attach(ctx)
	if err != nil {
		return err
	}
	h.Brokers = len(cluster.Info().Nodes)
	fault, err := a.parts.byHand.check(h)
	if err != nil {
		return err
	}
	term := a.terminal()
	ctx, stop := a.interruptible(ctx, term)
	terminal.LogTo(term)
	record, err := a.parts.byHand.inject(ctx, cluster, fault, h.Seed, term)
	term.Close()
	stop()
	if record.Injected != 0 {
		if _, err := fmt.Fprint(a.stdout, handReport(record)); err != nil {
			return err
		}
	}
	return orInterrupted(ctx, err)
}

// handReport shows what a fault hit, for how long, and what passed its links in that time.
func handReport(r harness.ByHand) string {
	var b bytes.Buffer
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	name := r.Fault
	if r.Options != "" {
		name += " (" + r.Options + ")"
	}
	fmt.Fprintf(lines, "fault\t%s\n", name)
	fmt.Fprintf(lines, "target\t%s: %s\n", r.Target, r.Resolved.Text)
	if r.Healed == 0 {
		fmt.Fprintf(lines, "healed\tno: %s\n", r.Error)
	} else {
		fmt.Fprintf(lines, "healed\tafter %.1fs\n", r.Healed.Sub(r.Injected).Round(time.Millisecond).Seconds())
	}
	if r.Reaction != "" {
		fmt.Fprintf(lines, "reaction\t%s\n", r.Reaction)
	}
	for _, proof := range texts(r.Proofs) {
		fmt.Fprintf(lines, "seen\t%s\n", proof)
	}
	for _, l := range slices.Sorted(maps.Keys(r.Links)) {
		m := r.Links[l]
		fmt.Fprintf(lines, "link %s\t%d B to and %d B from the dialled broker passed, %d B did not\n",
			l, m.UpstreamOut, m.DownstreamOut, m.Cut())
	}
	_ = lines.Flush() // the writer below is in memory
	return b.String()
}

// texts are what was measured, each once: by hand there are no pipelines whose own records could be counted.
func texts(proofs []harness.Proof) []string {
	var all []string
	for _, p := range proofs {
		all = append(all, strings.TrimSuffix(p.Text, inject.NothingInFlight))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
