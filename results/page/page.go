// Package page renders a run as one HTML file: the summary table, and a timeline of all pipelines on one axis of time. The
// file needs no network; its charts are drawn by uPlot, which it carries.
package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

//go:embed assets
var assets embed.FS

// scripts are the page's own. Each uses only those before it.
var scripts = []string{"theme.js", "tip.js", "range.js", "life.js", "charts.js", "markers.js", "lanes.js", "main.js", "print.js"}

// Options shape a page.
type Options struct {
	// Again is the command that judges the run again, for the page's foot.
	Again string
}

// view is what the template shows.
type view struct {
	Report          *harness.Report
	Headline, Again string
	Head            []head
	Rows            []tableRow
	Faults          []string
	// Why are the notes that explain a verdict, Notes the others, and More how many those are. Both are grouped by pipeline.
	Why, Notes      []about
	More            int
	Style           template.CSS
	Data            template.JS
	Library, Script template.JS
}

type head struct {
	Key, Header, Anchor string
	Left                bool
}

type tableRow struct {
	Outcome results.Outcome
	Cells   []cell
}

type cell struct {
	Key, Header, Text, Class string
}

// about are the notes on one pipeline.
type about struct {
	Pipeline string
	Notes    []results.Note
}

// notes groups a report's notes by pipeline: those that explain a verdict, and the others.
func notes(report *harness.Report) (why, others []about, more int) {
	add := func(list []about, n results.Note) []about {
		for i := range list {
			if list[i].Pipeline == n.About {
				list[i].Notes = append(list[i].Notes, n)
				return list
			}
		}
		return append(list, about{n.About, []results.Note{n}})
	}
	for _, n := range results.Notes(report, results.Options{}) {
		if slices.Contains([]string{"why", "cause", "proof", "surprise"}, n.Kind) {
			why = add(why, n)
		} else {
			others = add(others, n)
			more++
		}
	}
	return why, others, more
}

// HTML writes the page. Errors are w's.
func HTML(w io.Writer, report *harness.Report, timeline *Timeline, opts Options) error {
	data, err := json.Marshal(timeline) // escapes <, > and &, so that no text can end the script element
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	v := view{
		Report: report, Headline: results.Headline(report), Again: opts.Again, Faults: results.FaultLines(report), Style: template.CSS(must("uplot/uPlot.min.css") + must("page.css")), Data: template.JS(data),
		Library: template.JS(must("uplot/uPlot.iife.min.js")),
	}
	for _, name := range scripts {
		v.Script += template.JS(must(name))
	}
	v.Head, v.Rows = table(report)
	v.Why, v.Notes, v.More = notes(report)
	return execute(w, "page.html.tmpl", v)
}

func table(report *harness.Report) ([]head, []tableRow) {
	columns := results.Shown(report.Rows)
	var heads []head
	for _, c := range columns {
		heads = append(heads, head{c.Key, c.Header, c.Anchor, c.Left()})
	}
	var rows []tableRow
	for _, r := range report.Rows {
		row := tableRow{Outcome: results.OutcomeOf(r)}
		for _, c := range columns {
			row.Cells = append(row.Cells, cell{c.Key, c.Header, c.Text(r), class(c, r)})
		}
		rows = append(rows, row)
	}
	return heads, rows
}

// wrong are the figures that should be 0.
var wrong = []string{"duplicates", "lost", "unprocessed", "hidden", "hanging", "phantom", "torn", "committedNotSeen", "abortedSeen", "contradicted", "corrupt", "foreign"}

// class is how a cell looks: words to the left, nothing pale, what should not be there bold.
func class(c results.Column, row harness.Row) string {
	switch v := c.Value(row); {
	case c.Left():
		return "left"
	case c.Infinite(row):
		return "wrong"
	case v == nil, v == uint64(0), v == time.Duration(0):
		return "none"
	case slices.Contains(wrong, c.Key):
		return "wrong"
	}
	return ""
}

// must reads a file that is part of the program.
func must(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it was there when the program was built
	}
	return string(text)
}
