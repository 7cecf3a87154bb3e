package results

import (
	"github.com/chaeos/chaeos/harness"
)

// Numbers is the page that defines every column; a column's Anchor is a heading on it.
const Numbers = "docs/NUMBERS.md"

// Column is one figure of a row.
type Column struct {
	// Key is the figure's name in JSON and CSV, and Header its name in tables.
	Key, Header string
	// Anchor is the heading in docs/NUMBERS.md that defines it.
	Anchor string
	Show   harness.Show
	// Value is a string, uint64, int32 or time.Duration, or nil for "does not apply" and "not observed".
	Value func(harness.Row) any
	// Duration reports whether the values are durations.
	Duration bool
	// text prints the figure for people, where that is more than the value.
	text func(harness.Row) string
	// worst puts it in summaries.
	worst bool
}

// Text returns the figure as a table for people prints it.
func (c Column) Text(row harness.Row) string {
	if c.text != nil {
		return c.text(row)
	}
	return format(c.Value(row))
}

// Infinite reports whether the figure is an infinite latency, for which Value has nothing.
func (c Column) Infinite(row harness.Row) bool { return harness.IsInfinite(c.Key, row.Numbers) }

// Left reports whether the column holds words, which are aligned to the left.
func (c Column) Left() bool {
	_, words := c.Value(harness.Row{}).(string)
	return words
}

// Columns lists every figure of a row, in the order in which every format shows them: what the verdict is about, then the
// declared numbers.
func Columns() []Column {
	all := []Column{
		{Key: "pipeline", Header: "PIPELINE", Value: func(r harness.Row) any { return r.Pipeline }},
		{Key: "claims", Header: "CLAIMS", Value: func(r harness.Row) any { return string(r.Claims) }},
		{Key: "expected", Header: "EXPECTED", Value: func(r harness.Row) any { return string(expected(r)) }},
		{Key: "delivered", Header: "DELIVERED", Value: func(r harness.Row) any { return r.Delivered },
			text: func(r harness.Row) string { return r.Delivered + OutcomeOf(r).Remark() }},
	}
	for _, n := range harness.DeclaredNumbers() {
		if n.Kind != harness.ByCause { // causes are listed below the table
			all = append(all, columnOf(n))
		}
	}
	for i := range all {
		all[i].Anchor = anchor(all[i].Key)
	}
	return all
}

func columnOf(n harness.Number) Column {
	c := Column{Key: n.Key, Header: n.Header, Show: n.Show, Duration: n.Kind == harness.Duration, worst: n.Worst}
	c.Value = func(r harness.Row) any { return r.Numbers.Value(n.Key) }
	if n.Text != nil {
		c.text = func(r harness.Row) string { return n.Text(r.Numbers, format) }
	}
	return c
}

// Shown returns the columns that a table of these rows has.
func Shown(rows []harness.Row) []Column {
	var out []Column
	for _, c := range Columns() {
		if c.Show == harness.Always || c.Show == harness.WhenNonZero && anyNonZero(c, rows) {
			out = append(out, c)
		}
	}
	return out
}

func anyNonZero(c Column, rows []harness.Row) bool {
	for _, r := range rows {
		if v := c.Value(r); v != nil && v != uint64(0) {
			return true
		}
	}
	return false
}
