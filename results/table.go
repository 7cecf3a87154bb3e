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
}

// Table writes what a run showed, for people: the headline, a line a fault, a row a pipeline, and below it everything
// that explains a row. Errors are w's.
func Table(w io.Writer, report *harness.Report, opts Options) error {
	var b bytes.Buffer
	b.WriteString(headline(report))
	faultLines(&b, report)
	b.WriteByte('\n')
	if err := rows(&b, report.Rows); err != nil {
		return err
	}
	footnotes(&b, report, opts)
	_, err := w.Write(b.Bytes())
	return err
}

func rows(b *bytes.Buffer, rows []harness.Row) error {
	columns := shown(rows)
	head := make([]string, len(columns))
	left := make([]bool, len(columns))
	for i, c := range columns {
		head[i], left[i] = c.Header, c.Left()
	}
	body := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range columns {
			body[i] = append(body[i], c.Text(r))
		}
	}
	return grid(b, head, left, body)
}

// grid draws a table without lines. Words are aligned to the left, figures to the right, headers like their column.
func grid(b *bytes.Buffer, head []string, left []bool, body [][]string) error {
	align := make([]tw.Align, len(head))
	for i := range align {
		align[i] = tw.AlignRight
		if left[i] {
			align[i] = tw.AlignLeft
		}
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
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
