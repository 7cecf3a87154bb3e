package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/chaeos/chaeos/harness"
)

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME|FILE.yaml... | --suite NAME",
		Short: "Run experiments: cluster up, load, faults, heal, read back, verdict, cluster down",
		Long: `Run experiments one after the other, each on a cluster of its own, and print a table for each. Everything a run
recorded is kept in a folder of its own, from which "chaeos verify" judges it again.

With --suite or --repeat each run is a process of its own, --jobs of them at a time; their folders are in the suite's, and
the summary counts the verdicts of all. An interrupted suite goes on with --resume.

` + exitHelp,
		ValidArgsFunction: a.completeExperiment,
		RunE: func(c *cobra.Command, names []string) error {
			if f.suite.wanted(c) {
				return a.runSuite(c, names, f)
			}
			if err := someArgs("one experiment", experimentHint)(c, names); err != nil {
				return err
			}
			specs, err := a.specs(c, names, f)
			if err != nil {
				return err
			}
			return a.runAll(c.Context(), specs, f)
		},
	}
	f.register(c, a)
	return c
}

// specs makes every run concrete before the first begins: a mistake in the last name must not cost the runs before it.
func (a *app) specs(c *cobra.Command, names []string, f runFlags) ([]harness.RunSpec, error) {
	if err := f.check(c, a, len(names)); err != nil {
		return nil, err
	}
	var specs []harness.RunSpec
	for _, name := range names {
		e, err := a.experiment(name, f.seed, func(e *harness.Experiment) error { return f.override(c, e) })
		if err != nil {
			return nil, err
		}
		specs = append(specs, harness.RunSpec{
			Experiment: e, Seed: f.seed, Kafka: f.version(c, e), KafkaHome: f.kafkaHome, Out: f.out, Keep: f.keep,
			Overrides: f.overrides(c), Command: a.parts.self, Chaeos: a.parts.version,
		})
	}
	return specs, nil
}

// runAll does the runs one after the other until one is interrupted. If one fails, the next is run all the same.
func (a *app) runAll(ctx context.Context, specs []harness.RunSpec, f runFlags) error {
	var codes []int
	var lines []string
	for i, spec := range specs {
		if i > 0 && !f.json {
			fmt.Fprintln(a.stdout)
		}
		err := a.runOne(ctx, spec, f)
		a.complain(err)
		codes = append(codes, exitCode(err))
		lines = append(lines, fmt.Sprintf("%s: exit %d", spec.Experiment.Name, exitCode(err)))
		if wasInterrupted(err) {
			break
		}
	}
	if len(specs) > 1 {
		fmt.Fprintf(a.stderr, "%d of %d experiments run; %s\n", len(codes), len(specs), strings.Join(lines, ", "))
	}
	return outcome(worst(codes))
}

// runOne does one run and prints its report. Its error is nil, an outcome, or what failed.
func (a *app) runOne(ctx context.Context, spec harness.RunSpec, f runFlags) error {
	term := a.terminal()
	ctx, stop := a.interruptible(ctx, term)
	terminal.LogTo(term)
	out, err := a.parts.run(ctx, runRequest{cluster: f.request(), spec: spec, terminal: term})
	term.Close()
	stop()
	if out != nil && out.Kept != nil {
		fmt.Fprintf(a.stderr, "the cluster is still up: bootstrap %s; end it with: chaeos cluster down\n", strings.Join(out.Kept.Bootstrap, ","))
	}
	if out != nil && out.Report != nil {
		if out.Interrupted {
			out.Report.Exit, out.Report.Why = exitInconclusive, "the run was interrupted"
		}
		a.complain(a.print(out.Report, out.Dir, f.json))
		a.complain(a.summarise(out.Report, out.Dir))
		if err == nil {
			return reported(out)
		}
	}
	if err != nil && out != nil && out.Dir != "" {
		err = fmt.Errorf("%w\nwhat was recorded is in %s", err, out.Dir)
	}
	return orInterrupted(ctx, err)
}

// reported is a finished run's error: nil, an outcome, or an outcome that also stops the runs behind it.
func reported(out *harness.Outcome) error {
	switch {
	case out.Interrupted:
		return fmt.Errorf("%w: %w", errInterrupted, outcome(exitInconclusive))
	case out.Report.Exit != exitExpected:
		return outcome(out.Report.Exit)
	default:
		return nil
	}
}
