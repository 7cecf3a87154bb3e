package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// app is the command with everything it touches outside itself, so that tests can run it in process.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// live reports whether stderr is a terminal on which a line can be drawn over.
	live bool
	// display is what standard output is.
	display terminal.Display
	// getenv reads an environment variable.
	getenv func(string) string
	notify func() (signals <-chan os.Signal, stop func())
	// quit ends the process at once.
	quit  func(code int)
	parts parts
}

// parts are what the command needs of the project's other rooms; rooms.go fills them in.
type parts struct {
	version string
	// self is how to run this program again.
	self      []string
	kafka     string // the version that is run if none is named
	pipelines []harness.PipelineInfo
	// experiments are the named ones, sorted. Open finds one of them, or reads one from a YAML file; concrete draws its
	// ranges from a seed, and show writes it for people.
	experiments func() ([]harness.Experiment, error)
	open        func(nameOrPath string) (harness.Experiment, error)
	concrete    func(harness.Experiment, uint64) (harness.Experiment, error)
	show        func(harness.Experiment, uint64) string
	providers   []provider.Kind
	run         func(context.Context, runRequest) (*harness.Outcome, error)
	judge       func(dir string) (*harness.Report, error)
	// page writes the HTML page of the run in dir.
	page     func(w io.Writer, dir string) error
	explain  explainers
	files    exports
	clusters clusters
	byHand   byHand
	suites   suites
	// triggers are what list shows of them: columns.
	triggers [][]string
	// facts are what doctor reports of this machine.
	facts          func(context.Context) []provider.Fact
	keeper, worker child
	toxiproxy      proxyServer
}

// runRequest is one run, and where it shows how it goes.
type runRequest struct {
	cluster  provider.Request
	spec     harness.RunSpec
	terminal harness.Terminal
}

// run executes one command line and returns the exit code. A panic is a failure of this program: Go's own exit code for it
// would mean a mistake in the command line.
func (a *app) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(a.stderr, "chaeos: a mistake in chaeos itself: %v\n%s", v, debug.Stack())
			code = exitInfrastructure
		}
	}()
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	a.complain(err)
	return exitCode(err)
}

// complain prints an error for a person. An outcome is not one: its report has been printed.
func (a *app) complain(err error) {
	var o outcome
	if err == nil || errors.As(err, &o) {
		return
	}
	fmt.Fprintf(a.stderr, "chaeos: %s\n", prose.Lines(err.Error())) // it may quote a broker's log
}
