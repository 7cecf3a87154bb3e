package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness/prose"
	"github.com/chaeos/chaeos/harness/suite"
	"github.com/chaeos/chaeos/results"
)

// suiteFlags make run do many runs and sum them up.
type suiteFlags struct {
	name, resume, jobs string
	repeat             int
}

// suiteOnly are the flags that shape a suite and not its runs.
var suiteOnly = []string{"suite", "resume", "jobs", "repeat", "seed", "out", "json", "keep", "help"}

func (f *suiteFlags) register(c *cobra.Command, a *app) {
	flags := c.Flags()
	flags.StringVar(&f.name, "suite", "", "do the experiments of a suite: "+usage.Names(a.parts.suites.names))
	flags.IntVar(&f.repeat, "repeat", 0, "do each experiment this often, every time with the next seed (default: the suite's)")
	flags.StringVar(&f.jobs, "jobs", "auto", "how many runs at a time; auto is a quarter of the cores, so that runs don't disturb each other's figures")
	flags.StringVar(&f.resume, "resume", "", "continue a suite that was interrupted: its folder")
	complete(c, "suite", a.parts.suites.names)
	_ = c.MarkFlagDirname("resume") // fails only for a flag that isn't there
}

// wanted reports whether the command line asks for a suite.
func (f *suiteFlags) wanted(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"suite", "repeat", "jobs", "resume"}, c.Flags().Changed)
}

// runSuite does a suite and prints its summary.
func (a *app) runSuite(c *cobra.Command, names []string, f runFlags) error {
	jobs, err := f.suite.parallel()
	if err != nil {
		return err
	}
	if f.keep {
		return usage.Errorf("--keep leaves one cluster running: run one experiment at a time with it")
	}
	book, err := a.book(c, names, f)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "%s: %d of %d runs to do, %d at a time, in %s\n", prose.Line(book.Name), len(book.Left()), len(book.Items), jobs, near(book.Dir()))
	err = a.playSuite(c.Context(), book, jobs)
	if e := a.summarySoFar(book, f.json); e != nil {
		return errors.Join(err, e)
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "continue it: chaeos run --resume %s\n", shellWord(near(book.Dir())))
		return err
	}
	return suiteOutcome(book)
}

// playSuite does what is left of a suite, with the terminal and the signals.
func (a *app) playSuite(ctx context.Context, book *suite.Book, jobs int) error {
	term := a.terminal()
	defer term.Close()
	ctx, stop := a.interruptible(ctx, term)
	defer stop()
	term.Phase("suite", book.Name)
	now := &underWay{}
	err := book.Run(ctx, suite.Doing{
		Jobs: jobs,
		Begin: func(i suite.Item) {
			term.Note(i.String() + " begins")
			now.begin(i)
			if a.live { // elsewhere the lines of beginnings and ends show it
				term.Live(now.text(len(book.Items)-len(book.Left()), len(book.Items)), 0, 0)
			}
		},
		End: func(r suite.Result) {
			term.Note(logLine(r, len(book.Left())-1))
			now.end(r.Item)
		},
		Do: func(ctx context.Context, i suite.Item) (suite.Result, error) {
			return a.parts.suites.do(ctx, book.Dir(), i, book.Args)
		},
	})
	return orInterrupted(ctx, err)
}

// logLine is a run's line in the suite's log.
func logLine(r suite.Result, left int) string {
	text := fmt.Sprintf("%s: exit %d after %s", r.Item, r.Exit, r.Took.Round(time.Second))
	if r.Error != "" {
		text += ": " + r.Error
	}
	return fmt.Sprintf("%s (%d left)", text, left)
}

// parallel is the number of runs at a time.
func (f *suiteFlags) parallel() (int, error) {
	if f.jobs == "auto" {
		return max(1, runtime.GOMAXPROCS(0)/4), nil
	}
	jobs, err := strconv.Atoi(f.jobs)
	if err != nil || jobs < 1 || jobs > 64 {
		return 0, usage.Errorf("--jobs %q: give auto, or a number from 1 to 64", f.jobs)
	}
	return jobs, nil
}

// book opens the suite to continue, or plans a new one.
func (a *app) book(c *cobra.Command, names []string, f runFlags) (*suite.Book, error) {
	if f.suite.resume != "" {
		if len(names) > 0 || c.Flags().Changed("suite") || c.Flags().Changed("repeat") {
			return nil, usage.Errorf("--resume continues what was planned: leave out experiments, --suite and --repeat")
		}
		if set := runArgs(c); len(set) > 0 {
			return nil, usage.Errorf("--resume continues with the flags of the first call: leave out %s", strings.Join(set, " "))
		}
		b, err := suite.Open(f.suite.resume)
		if err != nil {
			return nil, asUsage(err)
		}
		return b, nil
	}
	name, experiments, repeat, err := a.suiteOf(c, names, f)
	if err != nil {
		return nil, err
	}
	if _, err := a.specs(c, experiments, f); err != nil { // a mistake must show before the first run
		return nil, err
	}
	dir := filepath.Join(f.out, time.Now().UTC().Format("20060102T150405")+"-suite-"+name)
	return suite.Create(dir, name, runArgs(c), suite.Items(experiments, f.seed, repeat))
}

// suiteOf is the named suite, or one of the experiments that are named.
func (a *app) suiteOf(c *cobra.Command, names []string, f runFlags) (name string, experiments []string, repeat int, err error) {
	if c.Flags().Changed("repeat") && (f.suite.repeat < 1 || f.suite.repeat > 10_000) {
		return "", nil, 0, usage.Errorf("--repeat %d: give a number from 1 to 10000", f.suite.repeat)
	}
	if f.suite.name == "" {
		if len(names) == 0 {
			return "", nil, 0, usage.Errorf("run takes at least one experiment, or --suite (%s)", experimentHint)
		}
		return "own", names, max(f.suite.repeat, 1), nil
	}
	if len(names) > 0 {
		return "", nil, 0, usage.Errorf("--suite %s names the experiments to run: leave out %s", f.suite.name, strings.Join(names, " "))
	}
	experiments, repeat, err = a.parts.suites.find(f.suite.name)
	if err != nil {
		return "", nil, 0, asUsage(err)
	}
	if f.suite.repeat > 0 {
		repeat = f.suite.repeat
	}
	return f.suite.name, experiments, repeat, nil
}

// runArgs are the flags that a suite's runs get: those that were given and don't shape the suite itself.
func runArgs(c *cobra.Command) []string {
	var args []string
	c.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(suiteOnly, flag.Name) {
			return
		}
		value := flag.Value.String()
		if list, is := flag.Value.(pflag.SliceValue); is && flag.Value.Type() == "stringArray" { // its values may contain commas
			for _, value := range list.GetSlice() {
				args = append(args, "--"+flag.Name+"="+value)
			}
			return
		} else if is {
			value = strings.Join(list.GetSlice(), ",")
		}
		args = append(args, "--"+flag.Name+"="+value)
	})
	return args
}

// summarySoFar judges the runs that have ended again, and prints what they showed together.
func (a *app) summarySoFar(book *suite.Book, json bool) error {
	var runs []judged
	for _, r := range book.Done() {
		if !r.Finished() {
			continue
		}
		dir := filepath.Join(book.Dir(), r.Run)
		report, err := a.judge(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Run, err)
		}
		runs = append(runs, judged{dir, report})
	}
	failed := failedOf(book)
	if len(runs) == 0 && len(failed) == 0 && !json {
		fmt.Fprintf(a.stdout, "suite %s   no run has come to its end\n", prose.Line(book.Name))
		return nil
	}
	sum := summarised("suite "+book.Name, runs, failed)
	if err := a.summariseSuite(sum); err != nil {
		a.complain(err)
	}
	return a.deliver("", func(w io.Writer) error {
		if json {
			return results.SummaryJSON(w, sum)
		}
		return results.WriteSummary(w, sum, results.SummaryOptions{Width: a.display.Width})
	})
}

// suiteOutcome is the exit code of all runs together.
func suiteOutcome(book *suite.Book) error {
	var codes []int
	for _, r := range book.Done() {
		codes = append(codes, r.Exit)
	}
	if code := worst(codes); code != exitExpected {
		return outcome(code)
	}
	return nil
}
