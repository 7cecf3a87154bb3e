// Command providers puts the reports of the same runs on two providers side by side, as Markdown. It reads what chaeos run
// --json printed for each, and exits with 1 where a verdict differs.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	_ "github.com/chaeos/chaeos/verifiers/checks" // declares the numbers of the reports that are read
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: providers ONE.json OTHER.json")
		os.Exit(2)
	}
	same, err := compare(os.Stdout, os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "providers:", err)
		os.Exit(2)
	}
	if !same {
		os.Exit(1)
	}
}

func compare(w io.Writer, one, other string) (same bool, err error) {
	first, err := read(one)
	if err != nil {
		return false, err
	}
	second, err := read(other)
	if err != nil {
		return false, err
	}
	var b strings.Builder
	if same, err = page(&b, first, second); err != nil {
		return false, err
	}
	_, err = io.WriteString(w, b.String())
	return same, err
}

// read returns the reports of a file, which are one JSON document a run.
func read(path string) ([]harness.Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []harness.Report
	for documents := json.NewDecoder(file); ; {
		var r harness.Report
		err := documents.Decode(&r)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
}

// page writes a section for each run.
func page(b *strings.Builder, one, other []harness.Report) (same bool, err error) {
	if len(one) != len(other) || len(one) == 0 {
		return false, fmt.Errorf("%d runs against %d", len(one), len(other))
	}
	same = true
	fmt.Fprintf(b, "# The same runs on %s and on %s\n", one[0].Provider, other[0].Provider)
	for i, r := range one {
		o := other[i]
		if r.Experiment != o.Experiment || r.Seed != o.Seed || len(r.Rows) != len(o.Rows) {
			return false, fmt.Errorf("%s with seed %d against %s with seed %d: not the same run", r.Experiment, r.Seed, o.Experiment, o.Seed)
		}
		same = section(b, r, o) && same
	}
	return same, nil
}

func section(b *strings.Builder, r, o harness.Report) (same bool) {
	fmt.Fprintf(b, "\n## %s, seed %d\n\n", r.Experiment, r.Seed)
	for _, x := range []harness.Report{r, o} {
		fmt.Fprintf(b, "- %s: run %s, Kafka %s, %d brokers, took %s, exit %d (%s)\n", x.Provider, x.Run, x.Kafka, x.Brokers,
			x.Took.Round(time.Second), x.Exit, x.Why)
	}
	fmt.Fprintf(b, "\n| pipeline | claims | %s | %s | the same | lost | duplicates | no progress |\n|---|---|---|---|---|---|---|---|\n", r.Provider, o.Provider)
	same = true
	for i, row := range r.Rows {
		twin := o.Rows[i]
		agree := verdicts(row) == verdicts(twin)
		same = same && agree
		n, m := row.Numbers, twin.Numbers
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d / %d | %d / %d | %s / %s |\n", row.Pipeline, row.Claims, row.Delivered, twin.Delivered,
			map[bool]string{true: "yes", false: "**no**"}[agree], n.Count("lost"), m.Count("lost"),
			n.Count("duplicates"), m.Count("duplicates"), short(n), short(m))
	}
	return same
}

// verdicts are a row's, in the order in which both reports have them.
func verdicts(r harness.Row) string {
	text := r.Pipeline
	for _, v := range r.Verdicts {
		text += fmt.Sprintf(" %s=%s", v.Guarantee, v.Verdict)
	}
	return text
}

func short(n harness.Numbers) string {
	if n.Value("noProgress") == nil {
		return "–"
	}
	return n.Duration("noProgress").Round(100 * time.Millisecond).String()
}
