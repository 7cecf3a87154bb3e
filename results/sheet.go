package results

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/chaeos/chaeos/harness"
)

// sheet is a table for people. Columns of words are aligned to the left, figures to the right.
type sheet struct {
	head []string
	left []bool
	body [][]string
}

// drawer writes a sheet in one form.
type drawer func(b *bytes.Buffer, s sheet) error

// add appends a column; every line of the body has its cell.
func (s *sheet) add(head string, left bool, cells []string) {
	s.head, s.left = append(s.head, head), append(s.left, left)
	if s.body == nil {
		s.body = make([][]string, len(cells))
	}
	for i, cell := range cells {
		s.body[i] = append(s.body[i], cell)
	}
}

// cells returns the i-th column.
func (s sheet) cells(i int) []string {
	out := make([]string, len(s.body))
	for j, line := range s.body {
		out[j] = line[i]
	}
	return out
}

// width is the number of characters in a line.
func (s sheet) width() int {
	width := 0
	for i := range s.head {
		width += s.columnWidth(i)
	}
	return width
}

// columnWidth includes the blank before and the blank after each cell.
func (s sheet) columnWidth(i int) int {
	widest := utf8.RuneCountInString(s.head[i])
	for _, line := range s.body {
		widest = max(widest, utf8.RuneCountInString(line[i]))
	}
	return widest + 2
}

// mute reports whether a column says nothing: no line has more in it than nothing, or than what goes without saying.
func (s sheet) mute(i int) bool {
	nothing := []string{"0", duration(0), missing, string(harness.MustHold)}
	return !slices.ContainsFunc(s.cells(i), func(cell string) bool { return !slices.Contains(nothing, cell) })
}

// narrow takes columns away until a line is at most width characters long (0: no limit), and returns them as a sheet of their
// own. spare names the columns that may go by their heads, the first to go first; but those that say nothing go before all
// others. One for which there is room after all, when wider ones have gone, comes back.
func (s sheet) narrow(width int, spare []string) (kept, gone sheet) {
	left := s.width()
	going := make([]bool, len(s.head))
	order := s.goingFirst(spare)
	for _, i := range order {
		if width > 0 && left > width {
			going[i] = true
			left -= s.columnWidth(i)
		}
	}
	for _, i := range slices.Backward(order) {
		if going[i] && left+s.columnWidth(i) <= width {
			going[i] = false
			left += s.columnWidth(i)
		}
	}
	for i, name := range s.head {
		to := &kept
		if going[i] {
			to = &gone
		}
		to.add(name, s.left[i], s.cells(i))
	}
	return kept, gone
}

// goingFirst lists the columns that may go, those that say nothing before the others.
func (s sheet) goingFirst(spare []string) (order []int) {
	for _, mute := range []bool{true, false} {
		for _, name := range spare {
			if i := slices.Index(s.head, name); i >= 0 && s.mute(i) == mute {
				order = append(order, i)
			}
		}
	}
	return order
}

// grid draws a table without lines.
func grid(b *bytes.Buffer, s sheet) error {
	var drawn bytes.Buffer
	if err := s.draw(&drawn, tablewriter.WithRendition(tw.Rendition{
		Borders:  tw.BorderNone,
		Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
	})); err != nil {
		return err
	}
	for line := range strings.Lines(drawn.String()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return nil
}

// markdownGrid draws a GitHub-flavoured table.
func markdownGrid(b *bytes.Buffer, s sheet) error {
	return s.draw(b, tablewriter.WithRenderer(renderer.NewMarkdown(tw.Rendition{})))
}

// fitted draws a table where it fits, and otherwise a wrapped text for each of its lines. The first three cells name a line.
func fitted(width int) drawer {
	return func(b *bytes.Buffer, s sheet) error {
		if s.width() <= width {
			return grid(b, s)
		}
		for _, cells := range s.body {
			line := strings.Join(cells[:3], " ") + ":"
			for i, c := range cells[3:] {
				line += fmt.Sprintf(" %s %s;", s.head[i+3], c)
			}
			b.WriteString(strings.Join(wrap(strings.TrimSuffix(line, ";"), width), "\n  ") + "\n")
		}
		return nil
	}
}

// draw prints cells as they are.
func (s sheet) draw(b *bytes.Buffer, look tablewriter.Option) error {
	align := make([]tw.Align, len(s.left))
	for i := range align {
		align[i] = tw.AlignRight
		if s.left[i] {
			align[i] = tw.AlignLeft
		}
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	table := tablewriter.NewTable(b, tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells}), look)
	table.Header(s.head)
	if err := table.Bulk(s.body); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}
