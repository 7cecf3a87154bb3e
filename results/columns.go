package results

import (
	"time"

	"github.com/chaeos/chaeos/harness"
)

// Numbers is the page that defines every column; a column's Anchor is a heading on it.
const Numbers = "docs/NUMBERS.md"

// Show is where a column appears.
type Show int

// A column is in every table, in a table only when a row has something other than 0 to show, or only in the formats
// that programs read.
const (
	Always Show = iota
	WhenNonZero
	DataOnly
)

// Column is one figure of a row.
type Column struct {
	// Key is the figure's name in JSON and CSV, and Header its name in tables.
	Key, Header string
	// Anchor is the heading in docs/NUMBERS.md that defines it.
	Anchor string
	Show   Show
	// Value is a string, uint64, int32 or time.Duration, or nil for "does not apply" and "not observed".
	Value func(harness.Row) any
	// Duration reports that the values are durations.
	Duration bool
	// text prints the figure for people, where that is more than the value.
	text func(harness.Row) string
}

// Text returns the figure as a table for people prints it.
func (c Column) Text(row harness.Row) string {
	if c.text != nil {
		return c.text(row)
	}
	return format(c.Value(row))
}

// Infinite reports whether the figure is an infinite latency, for which Value has nothing.
func (c Column) Infinite(row harness.Row) bool { return isInfinite(c.Key, row.Numbers) }

// Left reports whether the column holds words, which are aligned to the left.
func (c Column) Left() bool {
	_, words := c.Value(harness.Row{}).(string)
	return words
}

// Columns lists every figure of a row, in the order in which every format shows them.
func Columns() []Column {
	return []Column{
		{Key: "pipeline", Header: "PIPELINE", Anchor: "pipeline", Value: func(r harness.Row) any { return r.Pipeline }},
		{Key: "claims", Header: "CLAIMS", Anchor: "claims", Value: func(r harness.Row) any { return string(r.Claims) }},
		{Key: "expected", Header: "EXPECTED", Anchor: "expected", Value: func(r harness.Row) any { return string(expected(r)) }},
		{Key: "delivered", Header: "DELIVERED", Anchor: "delivered", Value: func(r harness.Row) any { return r.Delivered },
			text: func(r harness.Row) string { return r.Delivered + OutcomeOf(r).Remark() }},
		count("input", "INPUT", Always, func(n harness.Numbers) uint64 { return n.Input }),
		count("unique", "UNIQUE", Always, func(n harness.Numbers) uint64 { return n.Unique }),
		count("duplicates", "DUPLICATES", Always, func(n harness.Numbers) uint64 { return n.Duplicates }),
		count("duplicatedInputs", "DUPLICATED INPUTS", DataOnly, func(n harness.Numbers) uint64 { return n.DuplicatedInputs }),
		count("lost", "LOST", Always, func(n harness.Numbers) uint64 { return n.Lost }),
		count("unprocessed", "UNPROCESSED", WhenNonZero, func(n harness.Numbers) uint64 { return n.Unprocessed }),
		count("hidden", "HIDDEN", WhenNonZero, func(n harness.Numbers) uint64 { return n.Hidden }),
		count("hanging", "HANGING", WhenNonZero, func(n harness.Numbers) uint64 { return n.Hanging }),
		unknown(),
		count("unknownHappened", "UNKNOWN HAPPENED", DataOnly, func(n harness.Numbers) uint64 { return n.UnknownHappened }),
		count("unknownDidNot", "UNKNOWN DID NOT", DataOnly, func(n harness.Numbers) uint64 { return n.UnknownDidNot }),
		count("unknownCommits", "UNKNOWN COMMITS", DataOnly, func(n harness.Numbers) uint64 { return n.UnknownCommits }),
		count("unknownCommitsHappened", "UNKNOWN COMMITS HAPPENED", DataOnly, func(n harness.Numbers) uint64 { return n.UnknownCommitsHappened }),
		count("phantom", "PHANTOM", WhenNonZero, func(n harness.Numbers) uint64 { return n.Phantom }),
		optional("torn", "TORN", Always, func(n harness.Numbers) *uint64 { return n.Torn }),
		optional("split", "SPLIT", WhenNonZero, func(n harness.Numbers) *uint64 { return n.Split }),
		optional("committedNotSeen", "COMMITTED NOT SEEN", WhenNonZero, func(n harness.Numbers) *uint64 { return n.CommittedNotSeen }),
		optional("abortedSeen", "ABORTED SEEN", Always, func(n harness.Numbers) *uint64 { return n.AbortedSeen }),
		optional("contradicted", "CONTRADICTED", WhenNonZero, func(n harness.Numbers) *uint64 { return n.Contradicted }),
		count("reordered", "REORDERED", WhenNonZero, func(n harness.Numbers) uint64 { return n.Reordered }),
		count("corrupt", "CORRUPT", WhenNonZero, func(n harness.Numbers) uint64 { return n.Corrupt }),
		count("foreign", "FOREIGN", WhenNonZero, func(n harness.Numbers) uint64 { return n.Foreign }),
		count("offsetsWentBack", "OFFSETS WENT BACK", WhenNonZero, func(n harness.Numbers) uint64 { return n.OffsetsWentBack }),
		count("ackedAbsent", "ACKED ABSENT", WhenNonZero, func(n harness.Numbers) uint64 { return n.AckedAbsent }),
		count("identityTwice", "TWICE IN INPUT", WhenNonZero, func(n harness.Numbers) uint64 { return n.IdentityTwice }),
		optional("lsoStalls", "LSO STALLS", Always, func(n harness.Numbers) *uint64 { return n.LSOStalls }),
		span("longestStall", "LONGEST", Always, func(n harness.Numbers) *time.Duration { return n.LongestStall }),
		span("totalStall", "TOTAL STALL", DataOnly, func(n harness.Numbers) *time.Duration { return n.TotalStall }),
		span("noProgress", "NO PROGRESS", Always, func(n harness.Numbers) *time.Duration { return n.NoProgress }),
		noProgressIn(),
		span("recovery", "RECOVERY", Always, func(n harness.Numbers) *time.Duration { return n.Recovery }),
		span("recoveryFromHeal", "RECOVERY FROM HEAL", DataOnly, func(n harness.Numbers) *time.Duration { return n.RecoveryFromHeal }),
		span("p50", "P50 E2E", DataOnly, func(n harness.Numbers) *time.Duration { return n.P50 }),
		p99(),
		notSeenLive(),
	}
}

func count(key, header string, show Show, of func(harness.Numbers) uint64) Column {
	return Column{Key: key, Header: header, Anchor: anchor(key), Show: show, Value: func(r harness.Row) any { return of(r.Numbers) }}
}

func optional(key, header string, show Show, of func(harness.Numbers) *uint64) Column {
	return Column{Key: key, Header: header, Anchor: anchor(key), Show: show, Value: func(r harness.Row) any { return value(of(r.Numbers)) }}
}

func span(key, header string, show Show, of func(harness.Numbers) *time.Duration) Column {
	return Column{Key: key, Header: header, Anchor: anchor(key), Show: show, Duration: true, Value: func(r harness.Row) any { return value(of(r.Numbers)) }}
}

// unknown shows people two figures in one column: how many outcomes were never learnt, and how many of those took effect.
func unknown() Column {
	c := count("unknown", "UNKNOWN", Always, func(n harness.Numbers) uint64 { return n.Unknown })
	c.text = func(r harness.Row) string {
		if r.Numbers.Unknown == 0 {
			return "0"
		}
		return format(r.Numbers.Unknown) + ", " + format(r.Numbers.UnknownHappened) + " took effect"
	}
	return c
}

// p99 shows people an infinite latency, too.
func p99() Column {
	c := span("p99", "P99 E2E", Always, func(n harness.Numbers) *time.Duration { return n.P99 })
	c.text = func(r harness.Row) string {
		if isInfinite(c.Key, r.Numbers) {
			return infinite
		}
		return format(c.Value(r))
	}
	return c
}

// notSeenLive is named after what it counts; its key is older than its name.
func notSeenLive() Column {
	c := count("neverLive", "NOT SEEN LIVE", WhenNonZero, func(n harness.Numbers) uint64 { return n.NeverLive })
	c.Anchor = "not-seen-live"
	return c
}

// noProgressIn is the partition that NO PROGRESS is about.
func noProgressIn() Column {
	return Column{Key: "noProgressIn", Header: "NO PROGRESS IN", Anchor: anchor("noProgressIn"), Show: DataOnly, Value: func(r harness.Row) any {
		if r.Numbers.NoProgress == nil {
			return nil
		}
		return r.Numbers.NoProgressIn
	}}
}

// value keeps "not observed" apart from 0.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// Shown returns the columns that a table of these rows has.
func Shown(rows []harness.Row) []Column {
	var out []Column
	for _, c := range Columns() {
		if c.Show == Always || c.Show == WhenNonZero && anyNonZero(c, rows) {
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
