package results

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/chaeos/chaeos/harness"
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
	left, err := rows(&b, report.Rows, opts)
	if err != nil {
		return err
	}
	footnotes(&b, report, left, opts)
	_, err = w.Write(b.Bytes())
	return err
}

// rows writes the table, and returns the columns that it had no room for.
func rows(b *bytes.Buffer, rows []harness.Row, opts Options) ([]Column, error) {
	columns, spared := fit(rows, opts.Width)
	head := make([]string, len(columns))
	left := make([]bool, len(columns))
	for i, c := range columns {
		head[i], left[i] = c.Header, c.Left()
	}
	body := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range columns {
			text := c.Text(r)
			if opts.Color && c.Key == "delivered" {
				text = paint(r, text)
			}
			body[i] = append(body[i], text)
		}
	}
	return spared, grid(b, head, left, body)
}

// grid draws a table without lines. Words are aligned to the left, figures to the right, headers like their column.
func grid(b *bytes.Buffer, head []string, left []bool, body [][]string) error {
	cells := gridCells(left)
	var drawn bytes.Buffer
	table := tablewriter.NewTable(&drawn,
		tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells}),
		tablewriter.WithRendition(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		}))
	table.Header(head)
	if err := table.Bulk(body); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	for line := range strings.Lines(drawn.String()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return nil
}

// gridCells prints cells as they are: words to the left, figures to the right.
func gridCells(left []bool) tw.CellConfig {
	align := make([]tw.Align, len(left))
	for i := range align {
		align[i] = tw.AlignRight
		if left[i] {
			align[i] = tw.AlignLeft
		}
	}
	return tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
}
