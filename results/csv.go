package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// runColumns say in every line of a CSV which run it is from.
var runColumns = []struct {
	key   string
	value func(*harness.Report) string
}{
	{"run", func(r *harness.Report) string { return word(r.Run) }},
	{"experiment", func(r *harness.Report) string { return word(r.Experiment) }},
	{"seed", func(r *harness.Report) string { return strconv.FormatUint(r.Seed, 10) }},
	{"started", func(r *harness.Report) string { return r.Started.UTC().Format(time.RFC3339) }},
	{"provider", func(r *harness.Report) string { return word(r.Provider) }},
	{"kafka", func(r *harness.Report) string { return word(r.Kafka) }},
	{"chaeos", func(r *harness.Report) string { return word(r.Chaeos) }},
	{"exit", func(r *harness.Report) string { return strconv.Itoa(r.Exit) }},
}

// CSV writes one line a pipeline of every report, under one header: the run, then every figure by its key. Durations are
// seconds, inf where infinite; what does not apply or was not observed is empty, never 0. Texts that a spreadsheet would calculate begin with an
// apostrophe. Errors are w's.
func CSV(w io.Writer, reports []*harness.Report) error {
	out := csv.NewWriter(w)
	var head []string
	for _, c := range runColumns {
		head = append(head, c.key)
	}
	for _, c := range Columns() {
		head = append(head, c.Key)
	}
	lines := [][]string{head}
	for _, r := range reports {
		for _, row := range r.Rows {
			lines = append(lines, csvLine(r, row))
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return nil
}

func csvLine(r *harness.Report, row harness.Row) []string {
	var line []string
	for _, c := range runColumns {
		line = append(line, c.value(r))
	}
	for _, c := range Columns() {
		if harness.IsInfinite(c.Key, row.Numbers) {
			line = append(line, infinitePlain)
			continue
		}
		line = append(line, plain(c.Value(row)))
	}
	return line
}

// word is a text for a spreadsheet: one that would be a formula there gets an apostrophe in front, which spreadsheets take as
// the mark of a text.
func word(s string) string {
	s = prose.Line(s)
	if begin := strings.TrimLeft(s, " "); begin != "" && strings.ContainsRune("=+-@", rune(begin[0])) {
		return "'" + s
	}
	return s
}

// infinitePlain is an infinite latency for a program: what parsers of numbers take as infinity.
const infinitePlain = "inf"

// plain writes a figure for a program: no separators, no units.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case time.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64)
	case string:
		return word(v)
	default:
		return fmt.Sprint(v)
	}
}
