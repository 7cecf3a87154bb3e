package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// runColumns say in every line of a CSV which run it is from.
var runColumns = []struct {
	key   string
	value func(*harness.Report) string
}{
	{"run", func(r *harness.Report) string { return r.Run }},
	{"experiment", func(r *harness.Report) string { return r.Experiment }},
	{"seed", func(r *harness.Report) string { return strconv.FormatUint(r.Seed, 10) }},
	{"started", func(r *harness.Report) string { return r.Started.UTC().Format(time.RFC3339) }},
	{"provider", func(r *harness.Report) string { return r.Provider }},
	{"kafka", func(r *harness.Report) string { return r.Kafka }},
	{"chaeos", func(r *harness.Report) string { return r.Chaeos }},
	{"exit", func(r *harness.Report) string { return strconv.Itoa(r.Exit) }},
}

// CSV writes one line a pipeline of every report, under one header: the run, then every figure by its key. Durations are
// seconds; what does not apply or was not observed is empty, never 0. Errors are w's.
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
		line = append(line, plain(c.Value(row)))
	}
	return line
}

// plain writes a figure for a program: no separators, no units.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case time.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}
