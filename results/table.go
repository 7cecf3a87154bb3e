package results

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Options shape a table for people.
type Options struct {
	// Verify is the command that judges the run again, printed last ("" leaves it out).
	Verify string
	// Stalls bounds how many stalls are listed (0: five).
	Stalls int
	// Width is the terminal's, in characters (0: no limit): columns that have no room are listed below the table.
	Width int
	// Color paints verdicts.
	Color bool
}

// Table writes what a run showed, for people: the headline, a line a fault, a row a pipeline, and below it everything
// that explains a row. Errors are w's.
func Table(w io.Writer, report *harness.Report, opts Options) error {
	report, opts.Verify = prose.Cleaned(report), prose.Line(opts.Verify)
	var b bytes.Buffer
	head := limited(strings.TrimSuffix(headline(report), "\n"), opts.Width)
	if set := propertyLine(report.Properties); set != "" {
		head = append(head, limited(set, opts.Width)...)
	}
	for _, line := range head {
		b.WriteString(line + "\n")
	}
	faultLines(&b, report, opts.Width)
	b.WriteByte('\n')
	gone, err := rows(&b, report.Rows, opts)
	if err != nil {
		return err
	}
	footnotes(&b, report, gone, opts)
	_, err = w.Write(b.Bytes())
	return err
}

// rows writes the table, and returns the columns that it had no room for.
func rows(b *bytes.Buffer, rows []harness.Row, opts Options) (sheet, error) {
	kept, gone := rowSheet(rows).narrow(opts.Width, headersOf(spare))
	if i := slices.Index(kept.head, headerOf("delivered")); opts.Color && i >= 0 {
		for j, r := range rows {
			kept.body[j][i] = paint(r, kept.body[j][i])
		}
	}
	return gone, grid(b, kept)
}

// rowSheet is the table of a report: a line a row.
func rowSheet(rows []harness.Row) (s sheet) {
	for _, c := range Shown(rows) {
		cells := make([]string, len(rows))
		for i, r := range rows {
			cells[i] = c.Text(r)
		}
		s.add(c.Header, c.Left(), cells)
	}
	return s
}

// spare are the columns that a table too wide for its terminal goes without, the first to go first. The claim, what was
// delivered, duplicates and losses always stay.
var spare = []string{
	"neverLive", "p99", "recovery", "longestStall", "noProgress", "identityTwice", "ackedAbsent", "reordered",
	"offsetsWentBack", "unique", "lsoStalls", "unknown", "expected", "input", "abortedSeen", "torn", "hidden", "unprocessed",
}

// leftOut lists the columns that had no room: those that say the same of every row once, the others a line for each row.
func leftOut(rows []harness.Row, gone sheet) (out []note) {
	var mute []string
	figures := make([][]string, len(rows))
	for j, head := range gone.head {
		if gone.mute(j) {
			cells := slices.Compact(slices.Sorted(slices.Values(gone.cells(j))))
			mute = append(mute, head+" "+strings.Join(cells, " or "))
			continue
		}
		for i := range rows {
			figures[i] = append(figures[i], head+" "+gone.body[i][j])
		}
	}
	if len(mute) > 0 {
		out = append(out, note{"more", "every pipeline", strings.Join(mute, "; ")})
	}
	for i, r := range rows {
		if len(figures[i]) > 0 {
			out = append(out, note{"more", r.Pipeline, strings.Join(figures[i], "; ")})
		}
	}
	return out
}
