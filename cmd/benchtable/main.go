// Command benchtable makes the table of make bench: it reads what go test -bench prints, shows it as it comes, and writes
// the figures that lines.go lists and the limit of each, with machine, versions and date.
//
//	go test -run '^$' -bench . ./... | go run ./cmd/benchtable -o results/published/bench.md
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter"
)

func main() {
	path := flag.String("o", "", "write the table to this Markdown file, too")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, path string) error {
	m, err := parse(in, func(line string) { fmt.Fprintln(out, line) })
	if err != nil {
		return err
	}
	rows := rowsOf(m)
	table := tablewriter.NewWriter(out)
	table.Header("what", "figure", "wanted", "")
	for _, r := range rows {
		if err := table.Append(r.what, r.figure, r.wanted, r.met); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	pipelines := pipelineRows(m)
	if err := printPipelines(out, pipelines); err != nil {
		return err
	}
	if path != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, page(rows, pipelines, machine(m.cpu), time.Now()), 0o644); err != nil {
			return err
		}
	}
	if len(m.failed) > 0 {
		return fmt.Errorf("a benchmark failed: %s", strings.Join(m.failed, "; "))
	}
	return nil
}

func printPipelines(out io.Writer, rows []pipelineRow) error {
	if len(rows) == 0 {
		return nil
	}
	table := tablewriter.NewWriter(out)
	table.Header(pipelineHeader)
	for _, r := range rows {
		if err := table.Append(r.cells()); err != nil {
			return err
		}
	}
	return table.Render()
}

// row is one line of the table as it is printed.
type row struct{ what, figure, wanted, met string }

// rowsOf lists the lines in their order, "not measured" where there is no figure, and after them what no line asks for.
func rowsOf(m measured) []row {
	var rows []row
	asked := map[string]bool{}
	for _, l := range lines {
		asked[l.bench] = true
		r := row{what: l.what, figure: "not measured", wanted: l.want.String()}
		if v, ok := m.figures[l.bench][l.unit]; ok {
			r.figure = number(v)
			switch {
			case l.want.kind == "":
			case l.want.met(v):
				r.met = "yes"
			default:
				r.met = "no"
			}
		}
		rows = append(rows, r)
	}
	for _, name := range m.order {
		if asked[name] || strings.HasPrefix(name, pipelinesBench) {
			continue
		}
		for _, unit := range sortedKeys(m.figures[name]) {
			rows = append(rows, row{what: strings.TrimPrefix(name, "Benchmark") + ", " + unit, figure: number(m.figures[name][unit])})
		}
	}
	return rows
}

// page is the table as Markdown.
func page(rows []row, pipelines []pipelineRow, machine []string, at time.Time) []byte {
	var b bytes.Buffer
	b.WriteString("# Bench\n\nWhat `make bench` printed. A ratio compares two things that alternated within one run. `cmd/bench` has how each is measured.\n\n")
	fmt.Fprintf(&b, "- %s\n", at.UTC().Format("2006-01-02 15:04 UTC"))
	for _, text := range machine {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	b.WriteString("\n| what | figure | wanted | met |\n|---|---:|---:|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.what, r.figure, r.wanted, r.met)
	}
	b.WriteString(pipelinesPage(pipelines))
	return b.Bytes()
}
