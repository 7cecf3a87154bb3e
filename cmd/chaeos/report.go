package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/format"
	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
)

// reportFlags are the flags of report: a format each, and what every format takes.
type reportFlags struct {
	formats []format.Kind
	// asked reports for each format whether its flag was given.
	asked   []bool
	summary bool
	output  string
}

func (a *app) reportCommand() *cobra.Command {
	f := &reportFlags{formats: format.All(a.parts.page)}
	c := &cobra.Command{
		Use:   "report [DIR...]",
		Short: "Show saved runs again: as " + listed(f.titles(), "or"),
		Long: `Judge saved runs again from their folders alone and show them; without a folder, the last run in runs. A folder that
holds runs stands for all of them, oldest first. Unlike verify, report exits 0 whatever the verdicts are. With --summary the runs are summed up, as a suite prints it at
its end; of a suite's folder also those count that left no report. With --summary --html the suite gets a page of its own,
` + indexFile + `, whose cells lead to the pages of its runs; of several suites' folders it also shows each night.`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			form, err := f.chosen()
			if err != nil {
				return err
			}
			if args, err = a.orLastRun(c, args); err != nil {
				return err
			}
			return a.report(args, form, f)
		},
	}
	f.register(c)
	return c
}

func (f *reportFlags) register(c *cobra.Command) {
	flags := c.Flags()
	f.asked = make([]bool, len(f.formats))
	for i, form := range f.formats {
		if form.Name != "" {
			flags.BoolVar(&f.asked[i], form.Name, false, form.Help)
		}
		if form.Flags != nil {
			form.Flags(c)
		}
	}
	flags.BoolVar(&f.summary, "summary", false, "sum the runs up, one line an experiment and pipeline; with --html one page that leads to the runs' pages")
	flags.StringVarP(&f.output, "output", "o", "", "write to this file, whole or not at all, or into this pipe, instead of standard output")
}

func (f *reportFlags) titles() (all []string) {
	for _, form := range f.formats {
		all = append(all, form.Title)
	}
	return all
}

// flagsOf lists the flags of the formats that are wanted.
func (f *reportFlags) flagsOf(wanted func(format.Kind) bool) (flags []string) {
	for _, form := range f.formats {
		if form.Name != "" && wanted(form) {
			flags = append(flags, "--"+form.Name)
		}
	}
	return flags
}

// chosen is the format that the flags ask for: the first of the list if they ask for none.
func (f *reportFlags) chosen() (format.Kind, error) {
	form := f.formats[0]
	if at := slices.Index(f.asked, true); at >= 0 {
		form = f.formats[at]
		if slices.Contains(f.asked[at+1:], true) {
			all := f.flagsOf(func(format.Kind) bool { return true })
			return form, usage.Errorf("%s exclude each other: a report has one form", listed(all, "and"))
		}
	}
	if f.summary && form.Summary == nil && !form.Index {
		return form, usage.Errorf("--%s has no summary: leave out --%s or --summary", form.Name, form.Name)
	}
	for _, other := range f.formats {
		if other.Check != nil {
			if err := other.Check(other.Name == form.Name); err != nil {
				return form, err
			}
		}
	}
	return form, nil
}

// report shows the runs that the paths stand for.
func (a *app) report(paths []string, form format.Kind, f *reportFlags) error {
	switch {
	case form.Index && f.summary:
		return a.index(paths, f.output)
	case form.File != "":
		return a.reportFiles(paths, form, f.output)
	}
	runs, err := a.judgeAll(paths)
	if err != nil {
		return err
	}
	failed, name := failedIn(paths)
	return a.deliver(f.output, func(w io.Writer) error {
		v := format.View{Failed: failed, Dirs: map[*harness.Report]string{}}
		if f.output == "" {
			v.Display = a.display
		}
		if f.summary {
			return form.Summary(w, summarised(name, runs, failed), v)
		}
		var reports []*harness.Report
		for _, r := range runs {
			reports = append(reports, r.report)
			v.Dirs[r.report] = shellWord(near(r.dir))
		}
		return form.Runs(w, reports, v)
	})
}

// judged is a saved run with its verdict.
type judged struct {
	dir    string
	report *harness.Report
}

// judgeAll judges the runs that the paths stand for; every path is checked before the first run is judged.
func (a *app) judgeAll(paths []string) ([]judged, error) {
	dirs, err := runFolders(paths)
	if err != nil {
		return nil, err
	}
	var all []judged
	for _, dir := range dirs {
		report, err := a.judge(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		all = append(all, judged{dir, report})
	}
	return all, nil
}

// runFolders replaces each folder of runs by the runs in it, by name, which is by age.
func runFolders(paths []string) ([]string, error) {
	var dirs []string
	for _, path := range paths {
		if isRun(path) {
			dirs = append(dirs, path)
			continue
		}
		within := runsIn(path)
		if len(within) == 0 {
			return nil, usage.Errorf("%s is neither a run's folder (it has no %s) nor a folder of runs", path, harness.RecordFile)
		}
		dirs = append(dirs, within...)
	}
	return dirs, nil
}

// runsIn lists the runs in a folder, none if it can't be read.
func runsIn(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		if dir := filepath.Join(folder, e.Name()); isRun(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, harness.RecordFile))
	return err == nil
}

// reportFiles writes a file for each run, and prints where it is.
func (a *app) reportFiles(paths []string, form format.Kind, output string) error {
	runs, err := runFolders(paths)
	if err != nil {
		return err
	}
	if output != "" && len(runs) > 1 {
		return usage.Errorf("--%s --output writes one file: name one run, or leave --output out (each run's folder gets its own)", form.Name)
	}
	for _, dir := range runs {
		path, put := filepath.Join(dir, form.File), files.Replace
		if output != "" {
			path, put = output, a.deliver
		}
		if err := put(path, func(w io.Writer) error { return form.Write(w, dir) }); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		a.printPlace(path)
	}
	return nil
}

// deliver writes to standard output, or to what a user names: a file, whole or not at all, or a pipe.
func (a *app) deliver(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if path == "" {
		_, err := a.stdout.Write(b.Bytes())
		return err
	}
	if err := files.Output(path, b.Bytes()); err != nil {
		return fmt.Errorf("report: %w (choose another place with --output)", err)
	}
	return nil
}

// listed joins words for a sentence: a, b and c.
func listed(words []string, and string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}
