package results

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Summary is what many runs showed together.
type Summary struct {
	Name string `json:"name"`
	// Kafka and Provider list what the runs ran on, Chaeos which versions of this program did them.
	Kafka    []string `json:"kafka"`
	Chaeos   []string `json:"chaeos"`
	Provider []string `json:"provider"`
	Runs     int      `json:"runs"`
	// Seeds are those of the runs, ascending, each once; First and Last say when the first and the last of them began.
	Seeds []uint64  `json:"seeds"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Failed are runs without a report, each with why.
	Failed []string     `json:"failed,omitempty"`
	Rows   []SummaryRow `json:"rows"`
}

// SummaryRow is one pipeline in one experiment over all its runs.
type SummaryRow struct {
	Subject
	Claims   harness.Guarantee   `json:"claims"`
	Expected harness.Expectation `json:"expected"`
	Tally
	// Surprises is the number of runs that came out otherwise than the experiment expects.
	Surprises int `json:"surprises"`
	// Look are the runs to look at: those that surprised, and those that were inconclusive.
	Look []string `json:"look,omitempty"`
	// ViolatedBelow is, where no run violated the claim, the share of runs below which the true share lies with 95 %
	// confidence: 1 - 0.05^(1/n) for n conclusive runs, which the rule of three approximates by 3/n. Nil elsewhere.
	ViolatedBelow *float64 `json:"violatedBelow"`
	// Worst is, by column, the largest value in any run. Durations are nanoseconds, null where infinite.
	Worst map[string]Amount `json:"worst"`
}

// worstColumns are the keys of the figures of which a summary shows the worst.
func worstColumns() (keys []string) {
	for _, c := range Columns() {
		if c.worst {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Summarise counts the verdicts of many runs. Failed are runs without a report.
func Summarise(name string, reports []*harness.Report, failed []string) *Summary {
	s := &Summary{Name: name, Runs: len(reports), Failed: failed}
	for _, r := range reports {
		s.Kafka = addOnce(s.Kafka, r.Kafka)
		s.Chaeos = addOnce(s.Chaeos, r.Chaeos)
		s.Provider = addOnce(s.Provider, r.Provider)
		s.Seeds = append(s.Seeds, r.Seed)
		if s.First.IsZero() || r.Started.Before(s.First) {
			s.First = r.Started
		}
		if r.Started.After(s.Last) {
			s.Last = r.Started
		}
	}
	slices.Sort(s.Seeds)
	s.Seeds = slices.Compact(s.Seeds)
	rows := rowsOf(reports)
	for _, subject := range subjects([]map[Subject][]harness.Row{rows}) {
		row := summaryRow(subject, rows[subject])
		row.Look = toLookAt(subject, reports)
		s.Rows = append(s.Rows, row)
	}
	return s
}

// toLookAt lists the runs in which a pipeline surprised, or in which nothing was proved of it.
func toLookAt(s Subject, reports []*harness.Report) []string {
	var runs []string
	for _, r := range reports {
		for _, row := range r.Rows {
			if r.Experiment == s.Experiment && row.Pipeline == s.Pipeline && (surprised(row) || row.Verdict(row.Claims) == harness.Inconclusive) {
				runs = append(runs, r.Run)
			}
		}
	}
	return runs
}

func addOnce(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func summaryRow(subject Subject, rows []harness.Row) SummaryRow {
	row := SummaryRow{Subject: subject, Claims: rows[0].Claims, Expected: harness.MustHold, Tally: tally(rows), Worst: map[string]Amount{}}
	for _, r := range rows {
		if surprised(r) {
			row.Surprises++
		}
		for _, v := range r.Verdicts {
			if v.Guarantee == r.Claims {
				row.Expected = cmp.Or(v.Expected, row.Expected)
			}
		}
	}
	if row.Violated == 0 && row.Held > 0 {
		below := 1 - math.Pow(0.05, 1/float64(row.Held))
		row.ViolatedBelow = &below
	}
	for _, c := range Columns() {
		if spread := spreadOf(c, rows); c.worst && spread.Runs > 0 {
			row.Worst[c.Key] = spread.Max
		}
	}
	return row
}

// SummaryJSON writes a summary for programs. Errors are w's.
func SummaryJSON(w io.Writer, s *Summary) error { return EncodeJSON(w, s) }

// SummaryOptions shape a summary for people.
type SummaryOptions struct {
	// Markdown writes a GitHub-flavoured document instead of a table for a terminal.
	Markdown bool
	// Width is the terminal's, in characters (0: no limit): columns that have no room are named below the table.
	Width int
}

// spareSums are the columns that a summary too wide for its terminal goes without, the first to go first. What was expected
// always stays.
var spareSums = []string{"P99 E2E", "RECOVERY", "NO PROGRESS", "ABORTED SEEN", "TORN", "LONGEST", "VIOLATED IN", "CLAIMS",
	"DUPLICATES", "LOST", "HELD", "INCONCLUSIVE"}

// WriteSummary writes a summary for people. Errors are w's.
func WriteSummary(w io.Writer, s *Summary, opts SummaryOptions) error {
	s = prose.Cleaned(s)
	var b bytes.Buffer
	draw, item := grid, ""
	if opts.Markdown {
		draw, item = markdownGrid, "- "
		opts.Width = 0
		fmt.Fprintf(&b, "## %s\n\n", s.Name)
	}
	b.WriteString(strings.Join(limited(SummaryHeadline(s), opts.Width), "\n") + "\n\n")
	left := append(lefts(4), make([]bool, len(summaryHead())-4)...)
	kept, gone := sheet{summaryHead(), left, summaryBody(s)}.narrow(opts.Width, spareSums)
	if err := draw(&b, kept); err != nil {
		return err
	}
	if len(gone.head) > 0 {
		text := fmt.Sprintf("\nno room for %s (a wider terminal, --csv and --json show them)", strings.Join(gone.head, ", "))
		b.WriteString(strings.Join(limited(text, opts.Width), "\n") + "\n")
	}
	if len(s.Failed) > 0 {
		b.WriteByte('\n')
	}
	for _, f := range s.Failed {
		b.WriteString(strings.Join(limited(item+"no report: "+f, opts.Width), "\n") + "\n")
	}
	note := "Figures are the worst of all runs. VIOLATED IN is the share of conclusive runs that violated the claim. Where none did, it is a " +
		"bound: the true share is below it with 95 % confidence."
	b.WriteString("\n" + strings.Join(wrap(note, cmp.Or(opts.Width, 120)), "\n") + "\n")
	_, err := w.Write(b.Bytes())
	return err
}

// SummaryHeadline names the runs in one line.
func SummaryHeadline(s *Summary) string {
	by := ""
	for _, version := range s.Chaeos {
		name, _, _ := strings.Cut(version, " ") // without the compiler
		by += ", chaeos " + name
	}
	return fmt.Sprintf("%s   %s on %s, Kafka %s%s%s", s.Name, prose.Plural(s.Runs, "run"), joined(s.Provider), joined(s.Kafka), by, whenRun(s))
}

// whenRun names the seeds and the days of the runs.
func whenRun(s *Summary) string {
	if len(s.Seeds) == 0 {
		return ""
	}
	seeds := fmt.Sprintf("seed %d", s.Seeds[0])
	if n := len(s.Seeds); n > 1 {
		seeds = fmt.Sprintf("%d seeds from %d to %d", n, s.Seeds[0], s.Seeds[n-1])
	}
	days := s.First.UTC().Format(time.DateOnly)
	if last := s.Last.UTC().Format(time.DateOnly); last != days {
		days += " to " + last
	}
	return ", " + seeds + ", " + days
}

func summaryHead() []string {
	head := []string{"EXPERIMENT", "PIPELINE", "CLAIMS", "EXPECTED", "RUNS", "HELD", "VIOLATED", "INCONCLUSIVE", "SURPRISES", "VIOLATED IN"}
	for _, key := range worstColumns() {
		head = append(head, headerOf(key))
	}
	return head
}

func summaryBody(s *Summary) [][]string {
	var body [][]string
	for _, r := range s.Rows {
		line := []string{r.Experiment, r.Pipeline, string(r.Claims), string(r.Expected),
			fmt.Sprint(r.Runs), fmt.Sprint(r.Held), fmt.Sprint(r.Violated), fmt.Sprint(r.Inconclusive), fmt.Sprint(r.Surprises), violatedIn(r)}
		for _, key := range worstColumns() {
			if worst, ok := r.Worst[key]; ok {
				line = append(line, amountText(worst, isDuration(key)))
			} else {
				line = append(line, missing)
			}
		}
		body = append(body, line)
	}
	return body
}

// violatedIn is the share of conclusive runs that violated the claim, or its bound where none did.
func violatedIn(r SummaryRow) string {
	switch {
	case r.Violated > 0:
		return fmt.Sprintf("%.0f %%", 100*float64(r.Violated)/float64(r.Violated+r.Held))
	case r.ViolatedBelow != nil:
		return fmt.Sprintf("< %.0f %%", math.Ceil(100**r.ViolatedBelow))
	default:
		return missing
	}
}

func joined(words []string) string {
	if len(words) == 0 {
		return missing
	}
	return strings.Join(words, " and ")
}
