package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/cmd/chaeos/format"
	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/suite"
)

// runFolder makes a folder that looks like a run's: what is in it is up to the bench's judge.
func runFolder(t *testing.T, parent, name string) string {
	t.Helper()
	dir := filepath.Join(parent, name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, harness.RecordFile), []byte("{}"), 0o644))
	return dir
}

func TestReportFormats(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "a run")
	for flag, check := range map[string]func(text string){
		"":           func(text string) { require.Contains(t, text, "again   chaeos verify '"+dir+"'") },
		"--markdown": func(text string) { require.Contains(t, text, "| idempotent | at-least-once |") },
		"--json":     func(text string) { require.True(t, json.Valid([]byte(text))) },
		"--csv": func(text string) {
			lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			require.NoError(t, err)
			require.Len(t, lines, 2)
		},
		"--junit": func(text string) { require.NoError(t, xml.Unmarshal([]byte(text), new(struct{}))) },
	} {
		b := newBench(t)
		args := []string{"report", dir}
		if flag != "" {
			args = append(args, flag)
		}
		require.Zero(t, b.do(args...), "whatever the verdict is: %s", b.err.String())
		check(b.out.String())
	}
}

func TestReportTakesFoldersOfRuns(t *testing.T) {
	parent := t.TempDir()
	runFolder(t, parent, "20260101T000000-b-1")
	runFolder(t, parent, "20260102T000000-a-1")
	require.NoError(t, os.Mkdir(filepath.Join(parent, "notes"), 0o755))
	b := newBench(t)
	var asked []string
	b.parts.judge = func(dir string) (*harness.Report, error) {
		asked = append(asked, filepath.Base(dir))
		return report("baseline", 0), nil
	}
	require.Zero(t, b.do("report", parent, "--csv"))
	require.Equal(t, []string{"20260101T000000-b-1", "20260102T000000-a-1"}, asked)
}

// TestReportSumsASuiteUp: in every form, and with the run that left no report.
func TestReportSumsASuiteUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night")
	items := suite.Items([]string{"baseline", "latency"}, 1, 1)
	book, err := suite.Create(dir, "nightly", nil, items)
	require.NoError(t, err)
	require.NoError(t, book.Run(t.Context(), suite.Doing{Jobs: 1, Begin: func(suite.Item) {}, End: func(suite.Result) {},
		Do: func(_ context.Context, i suite.Item) (suite.Result, error) {
			if i.Experiment == "latency" {
				return suite.Result{Item: i, Exit: exitInfrastructure, Error: "no java"}, nil
			}
			runFolder(t, dir, "a-run")
			return suite.Result{Item: i, Run: "a-run", Exit: exitViolated}, nil
		}}))
	for form, says := range map[string][]string{
		"":           {"suite nightly   1 run on local", "no report: latency seed 1: no java"},
		"--markdown": {"## suite nightly", "- no report: latency seed 1: no java"},
		"--csv":      {"experiment,pipeline,claims", "baseline,idempotent"},
		"--json":     {`"name": "suite nightly"`, `"latency seed 1: no java"`},
		"--junit":    {`<testsuites name="suite nightly" tests="2"`, `<testcase classname="chaeos.run" name="latency seed 1"`},
	} {
		b := newBench(t)
		args := []string{"report", dir, "--summary"}
		if form != "" {
			args = append(args, form)
		}
		require.Zero(t, b.do(args...), b.err.String())
		for _, want := range says {
			require.Contains(t, b.out.String(), want, form)
		}
	}
	b := newBench(t)
	require.Zero(t, b.do("report", dir, "--junit"))
	require.Contains(t, b.out.String(), `<testcase classname="chaeos.run" name="latency seed 1"`, "a run without a report is an error run by run, too")
}

// TestReportMakesASuitesPage: its cells lead to the pages of the runs, from wherever it is; several nights need a place for it.
func TestReportMakesASuitesPage(t *testing.T) {
	parent := t.TempDir()
	one, two := filepath.Join(parent, "night 1"), filepath.Join(parent, "night2")
	runFolder(t, one, "a-run")
	runFolder(t, two, "another")
	b := newBench(t)
	b.parts.judge = func(dir string) (*harness.Report, error) {
		r := report(filepath.Base(filepath.Dir(dir)), 0)
		r.Run = filepath.Base(dir)
		return r, nil
	}
	require.Zero(t, b.do("report", one, "--summary", "--html"), b.err.String())
	require.Equal(t, filepath.Join(one, "index.html")+"\n", b.out.String())
	text, err := os.ReadFile(filepath.Join(one, "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(text), `href="./a-run/report.html"`)
	_, err = os.Stat(filepath.Join(one, "a-run", format.PageFile))
	require.NoError(t, err, "the page that it leads to")

	require.Equal(t, exitUsage, b.do("report", one, two, "--summary", "--html"))
	require.Contains(t, b.err.String(), "say where with --output")
	site := filepath.Join(parent, "site", "index.html")
	require.NoError(t, os.Mkdir(filepath.Dir(site), 0o755))
	require.Zero(t, b.do("report", one, two, "--summary", "--html", "-o", site), b.err.String())
	text, err = os.ReadFile(site)
	require.NoError(t, err)
	require.Contains(t, string(text), `href="../night%201/a-run/report.html"`)
	require.Contains(t, string(text), `href="../night2/another/report.html"`)
	require.Equal(t, exitUsage, b.do("report", one, t.TempDir(), "--summary", "--html", "-o", site))
}

func TestReportRefuses(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "run")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no folder":      {[]string{"report"}, "there is none in runs either"},
		"an empty one":   {[]string{"report", t.TempDir()}, "nor a folder of runs"},
		"two formats":    {[]string{"report", dir, "--csv", "--json"}, "exclude each other"},
		"junit's flags":  {[]string{"report", dir, "--junit-strict"}, "add --junit"},
		"a wrong choice": {[]string{"report", dir, "--junit", "--junit-inconclusive", "eror"}, "did you mean error?"},
	} {
		b := newBench(t)
		require.Equal(t, exitUsage, b.do(c.args...), name)
		require.Contains(t, b.err.String(), c.says, name)
		require.Empty(t, b.out.String(), name)
	}
}

func TestReportToAFile(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "run")
	file := filepath.Join(t.TempDir(), "out.csv")
	b := newBench(t)
	require.Zero(t, b.do("report", dir, "--csv", "-o", file))
	require.Empty(t, b.out.String())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "idempotent")

	require.Equal(t, exitInfrastructure, b.do("report", dir, "--csv", "-o", filepath.Join(file, "below")))
	require.Contains(t, b.err.String(), "choose another place with --output")

	b.parts.judge = func(string) (*harness.Report, error) { return nil, errors.New("history/x: cut") }
	require.Equal(t, exitInfrastructure, b.do("report", dir, "--csv", "-o", file))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, text, after, "a report that fails leaves the file as it was")
}

// TestReportIntoAPipe: a pipe is written into, and stays one; a link leads to the file that it names.
func TestReportIntoAPipe(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "run")
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	var got []byte
	var g errgroup.Group
	g.Go(func() (err error) { got, err = os.ReadFile(fifo); return err })
	b := newBench(t)
	require.Zero(t, b.do("report", dir, "--html", "-o", fifo))
	require.NoError(t, g.Wait())
	require.Equal(t, "a page of run", string(got))
	require.Empty(t, b.out.String())

	file, link := filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(file, link))
	require.Zero(t, b.do("report", dir, "--html", "-o", link))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "a page of run", string(text))
}

// TestPagesFollowNoLink: the page in a run's folder replaces a link that was there, and never writes through it.
func TestPagesFollowNoLink(t *testing.T) {
	dir, mine := runFolder(t, t.TempDir(), "run"), filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.WriteFile(mine, []byte("keep"), 0o644))
	for _, name := range []string{format.PageFile, format.PageFile + ".tmp"} {
		require.NoError(t, os.Symlink(mine, filepath.Join(dir, name)))
	}
	b := newBench(t)
	require.Zero(t, b.do("report", dir, "--html"), b.err.String())
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "keep", string(text))
	text, err = os.ReadFile(filepath.Join(dir, format.PageFile))
	require.NoError(t, err)
	require.Equal(t, "a page of run", string(text))
}

func TestStepSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary.md")
	b := newBench(t)
	b.env = map[string]string{"GITHUB_STEP_SUMMARY": file}
	require.Zero(t, b.do("run", "baseline", "broker-kill"))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "## baseline\n")
	require.Contains(t, string(text), "## broker-kill\n")

	b.env["GITHUB_STEP_SUMMARY"] = filepath.Join(file, "below")
	require.Zero(t, b.do("run", "baseline"), "a run doesn't fail because its summary can't be written")
	require.Contains(t, b.err.String(), "step summary (GITHUB_STEP_SUMMARY)")
}

func TestNarrowTerminal(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "run")
	b := newBench(t)
	b.display = terminal.Display{Width: 60, Color: true}
	require.Zero(t, b.do("report", dir))
	require.Contains(t, b.out.String(), "\x1b[")
	require.Contains(t, b.out.String(), "more")
	b = newBench(t)
	b.display = terminal.Display{Width: 60, Color: true}
	file := filepath.Join(t.TempDir(), "table.txt")
	require.Zero(t, b.do("report", dir, "-o", file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(text), "\x1b[", "a file is no terminal")
}

func TestSchemaCommand(t *testing.T) {
	b := newBench(t)
	require.Zero(t, b.do("schema"))
	require.True(t, json.Valid(b.out.Bytes()))
	require.Contains(t, b.out.String(), "json-schema.org")
	for name, says := range map[string]string{"report": "chaeos report", "summary": "chaeos summary", "comparison": "chaeos comparison"} {
		b := newBench(t)
		require.Zero(t, b.do("schema", name))
		require.Contains(t, b.out.String(), `"title": "`+says+`"`)
	}
	b = newBench(t)
	require.Equal(t, exitUsage, b.do("schema", "summaries"))
	require.Contains(t, b.err.String(), "comparison, report, summary")
}
