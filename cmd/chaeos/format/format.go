// Package format knows the forms in which report shows saved runs: for each form one file, and one line in All.
package format

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// Pages writes the HTML page of the run in dir.
type Pages func(w io.Writer, dir string) error

// All lists the forms; the first needs no flag.
func All(pages Pages) []Kind {
	return []Kind{
		tableKind(),
		htmlKind(pages),
		markdownKind(),
		csvKind(),
		jsonKind(),
		junitKind(),
	}
}

// Kind is one form of a report. It writes either runs, all of them to one place, or a file for each run.
type Kind struct {
	// Name is the flag that asks for it, Help what the flag's help says, Title what it is called in a sentence.
	Name, Help, Title string
	// Runs writes reports. Errors are the writer's.
	Runs func(io.Writer, []*harness.Report, View) error
	// File is the name of what Write leaves in a run's folder.
	File  string
	Write func(w io.Writer, dir string) error
	// Index reports whether a summary of such files is one more: a page that leads to them.
	Index bool
	// Summary writes what runs show together; nil if the form has no such thing.
	Summary func(io.Writer, *results.Summary, View) error
	// Flags adds the form's own flags, Check refuses what they must not say; asked reports whether the form was asked
	// for. Both may be nil.
	Flags func(*cobra.Command)
	Check func(asked bool) error
}

// View is what else a form may need.
type View struct {
	// Display is what it writes to: the zero value for a file.
	Display terminal.Display
	// Dirs are the runs' folders, as words for a shell.
	Dirs map[*harness.Report]string
	// Failed are runs that left no report, each with why.
	Failed []string
}

func (v View) options(r *harness.Report) results.Options {
	return results.Options{Verify: "chaeos verify " + v.Dirs[r]}
}

// apart writes one report after the other with an empty line between them.
func apart(one func(io.Writer, *harness.Report, View) error) func(io.Writer, []*harness.Report, View) error {
	return func(w io.Writer, reports []*harness.Report, v View) error {
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
