package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness/nearest"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "chaeos",
		Short: "Chaos for Kafka's delivery promises",
		Long: `chaeos starts a real three-broker Kafka cluster whose every connection runs through Toxiproxy, drives pipelines
that claim different delivery guarantees side by side under one fault schedule, reads everything back, and prints one
table: what each pipeline claimed and what it delivered.

` + exitHelp,
		Args:          subcommand,
		RunE:          help,
		Version:       a.parts.version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("chaeos {{.Version}}\n")
	root.AddCommand(a.listCommand(), a.showCommand(), a.runCommand(), a.verifyCommand(), a.explainCommand(), a.exportCommand(), a.reportCommand(),
		a.compareCommand(), a.clusterCommand(), a.injectCommand(), a.doctorCommand(), a.schemaCommand(), a.versionCommand(),
		a.childCommand("keeper", a.parts.keeper), a.childCommand("worker", a.parts.worker), a.toxiproxyCommand())
	return root
}

func help(c *cobra.Command, _ []string) error { return c.Help() }

// subcommand refuses what is neither a command nor a flag, with the nearest names.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usage.Unknown("command", args[0], names)
}

// noArgs refuses arguments where there are none to give.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage.Errorf("%s takes no arguments, and was given %q", path(c), args[0])
	}
	return nil
}

// path is a command's name below chaeos: "cluster up".
func path(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") }

// oneArg and someArgs ask for the arguments that a command can't do without; hint says where to get one.
func oneArg(what, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage.Errorf("%s takes %s, and was given %d arguments (%s)", path(c), what, len(args), hint)
		}
		return nil
	}
}

func someArgs(what, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage.Errorf("%s takes at least %s (%s)", path(c), what, hint)
		}
		return nil
	}
}

// valuesOf is what flags of a type take.
var valuesOf = map[string]string{
	"int": "a whole number", "uint64": "a whole number from 0 up", "float64": "a number", "duration": "a time like 40s, 2m or 24h",
}

// flagError is the usage error that names the flag that was meant, or what it takes.
func flagError(c *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) && valuesOf[bad.GetFlag().Value.Type()] != "" {
		return usage.Errorf("--%s %q: give %s", bad.GetFlag().Name, bad.GetValue(), valuesOf[bad.GetFlag().Value.Type()])
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usage.Errorf("%s (see %s --help)", err, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := nearest.Names(missing.GetSpecifiedName(), names)
	if len(near) == 0 {
		return usage.Errorf("unknown flag %s (see %s --help)", err.Error()[strings.LastIndex(err.Error(), ": ")+2:], c.CommandPath())
	}
	return usage.Errorf("unknown flag --%s (did you mean --%s?)", missing.GetSpecifiedName(), strings.Join(near, ", --"))
}
