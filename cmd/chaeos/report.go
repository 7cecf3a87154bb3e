package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/results"
)

// reportFlags are the flags of report.
type reportFlags struct {
	markdown, csv, json, junit, html bool
	summary                          bool
	junitStrict                      bool
	junitInconclusive                string
	output                           string
}

func (a *app) reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Show saved runs again: as a table, an HTML page, Markdown, CSV, JSON or JUnit XML",
		Long: `Judge saved runs again from their folders alone and show them. A folder that holds runs stands for all of them, oldest
first. Unlike verify, report exits 0 whatever the verdicts are. With --summary the runs are summed up, as a suite prints it at
its end; of a suite's folder also those count that left no report. With --summary --html the suite gets a page of its own,
` + indexFile + `, whose cells lead to the pages of its runs; of several suites' folders it also shows each night.`,
		Args: someArgs("one run's folder", "chaeos run makes them in runs"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			switch {
			case f.html && f.summary:
				return a.index(args, f.output)
			case f.html:
				return a.pages(args, f.output)
			}
			judged, err := a.judgeAll(args)
			if err != nil {
				return err
			}
			failed, name := failedIn(args)
			return a.deliver(f.output, func(w io.Writer) error {
				if f.summary {
					return a.renderSummary(w, summarised(name, judged, failed), f)
				}
				return a.render(w, judged, failed, f)
			})
		},
	}
	f.register(c)
	return c
}

func (f *reportFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.html, "html", false, "write a page with a timeline for a browser, "+pageFile+" in each run's folder, or one run's to --output")
	flags.BoolVar(&f.markdown, "markdown", false, "print GitHub-flavoured Markdown, a section a run")
	flags.BoolVar(&f.summary, "summary", false, "sum the runs up, one line an experiment and pipeline; with --html one page that leads to the runs' pages")
	flags.BoolVar(&f.csv, "csv", false, "print CSV, one line a pipeline of each run")
	flags.BoolVar(&f.json, "json", false, "print JSON, one document a run (chaeos schema prints its JSON Schema)")
	flags.BoolVar(&f.junit, "junit", false, "print JUnit XML: a suite a run, a case a guarantee")
	flags.BoolVar(&f.junitStrict, "junit-strict", false, "ask of every guarantee that it holds, also where the experiment expects it to break")
	flags.StringVar(&f.junitInconclusive, "junit-inconclusive", "error", "report an inconclusive guarantee as error or as skipped")
	flags.StringVarP(&f.output, "output", "o", "", "write to this file, whole or not at all, or into this pipe, instead of standard output")
	complete(c, "junit-inconclusive", []string{"error", "skipped"})
}

func (f *reportFlags) check() error {
	forms := 0
	for _, form := range []bool{f.markdown, f.csv, f.json, f.junit, f.html} {
		if form {
			forms++
		}
	}
	if forms > 1 {
		return usagef("--html, --markdown, --csv, --json and --junit exclude each other: a report has one form")
	}
	if err := oneOf("way to report an inconclusive guarantee", f.junitInconclusive, []string{"error", "skipped"}); err != nil {
		return err
	}
	if !f.junit && (f.junitStrict || f.junitInconclusive != "error") {
		return usagef("--junit-strict and --junit-inconclusive shape JUnit XML: add --junit")
	}
	return nil
}

// judged is a saved run with its verdict.
type judged struct {
	dir    string
	report *harness.Report
}

// judgeAll judges the runs that the paths stand for; every path is looked at before the first is judged.
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
			return nil, usagef("%s is neither a run's folder (it has no %s) nor a folder of runs", path, harness.RecordFile)
		}
		dirs = append(dirs, within...)
	}
	return dirs, nil
}

// runsIn lists the runs in a folder, none where it can't be read.
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

// render writes the runs in the form that the flags ask for.
func (a *app) render(w io.Writer, runs []judged, failed []string, f reportFlags) error {
	reports := make([]*harness.Report, len(runs))
	dirs := map[*harness.Report]string{}
	for i, r := range runs {
		reports[i] = r.report
		dirs[r.report] = shellWord(near(r.dir))
	}
	switch {
	case f.csv:
		return results.CSV(w, reports)
	case f.junit:
		opts := f.junitOptions()
		opts.Dir, opts.Failed = func(r *harness.Report) string { return dirs[r] }, failed
		return results.JUnit(w, reports, opts)
	}
	for i, r := range reports {
		if err := a.renderOne(w, r, dirs[r], f, i == 0); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) renderOne(w io.Writer, r *harness.Report, dir string, f reportFlags, first bool) error {
	if f.json {
		return results.JSON(w, r)
	}
	if !first {
		fmt.Fprintln(w)
	}
	opts := results.Options{Verify: "chaeos verify " + dir}
	if f.markdown {
		return results.Markdown(w, r, opts)
	}
	if f.output == "" {
		opts.Width, opts.Color = a.display.width, a.display.color
	}
	return results.Table(w, r, opts)
}

// pageFile is the HTML page's name in a run's folder.
const pageFile = "report.html"

// pages writes a page for each run, and prints where it is.
func (a *app) pages(paths []string, output string) error {
	runs, err := runFolders(paths)
	if err != nil {
		return err
	}
	if output != "" && len(runs) > 1 {
		return usagef("--html --output writes one page: name one run, or leave --output out (each run's folder gets its page)")
	}
	for _, dir := range runs {
		write := func(w io.Writer) error { return a.parts.page(w, dir) }
		path, put := filepath.Join(dir, pageFile), files.Replace
		if output != "" {
			path, put = output, a.deliver
		}
		if err := put(path, write); err != nil {
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
