package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// formats lists the forms that report can give saved runs; the first needs no flag.
func formats() []format {
	return []format{
		tableFormat(),
		htmlFormat(),
		markdownFormat(),
		csvFormat(),
		jsonFormat(),
		junitFormat(),
	}
}

// format is one form of a report. It writes either runs, all of them to one place, or a file for each run.
type format struct {
	// name is the flag that asks for it, help what the flag's help says, title what it is called in a sentence.
	name, help, title string
	// runs writes reports. Errors are the writer's.
	runs func(io.Writer, []*harness.Report, view) error
	// file is the name of what write leaves in a run's folder.
	file  string
	write func(a *app, w io.Writer, dir string) error
	// index writes one file that leads to those of the runs: what a format that writes a file for each run has in place of a
	// summary. It may be nil.
	index func(a *app, paths []string, output string) error
	// summary writes what runs show together; nil if the format has no such form.
	summary func(io.Writer, *results.Summary, view) error
	// flags adds flags of the format's own, check refuses what they must not say; asked reports whether the format was
	// asked for. Both may be nil.
	flags func(*cobra.Command)
	check func(asked bool) error
}

// view is what else a format may need.
type view struct {
	// display is what it writes to: the zero value for a file.
	display display
	// dirs are the runs' folders, as words for a shell.
	dirs map[*harness.Report]string
	// failed are runs that left no report, each with why.
	failed []string
}

func (v view) options(r *harness.Report) results.Options {
	return results.Options{Verify: "chaeos verify " + v.dirs[r]}
}

// apart writes one report after the other with an empty line between them.
func apart(one func(io.Writer, *harness.Report, view) error) func(io.Writer, []*harness.Report, view) error {
	return func(w io.Writer, reports []*harness.Report, v view) error {
		for i, r := range reports {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := one(w, r, v); err != nil {
				return err
			}
		}
		return nil
	}
}

// listed joins words for a sentence: a, b and c.
func listed(words []string, and string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}
