package results

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness/prose"
)

// CompareOptions shape a comparison for people.
type CompareOptions struct {
	// All also lists the differences that lie within the spread.
	All bool
	// Markdown writes a GitHub-flavoured document instead of tables for a terminal.
	Markdown bool
	// Width is the terminal's, in characters (0: no limit): tables that have no room are written a line a change.
	Width int
}

// WriteComparison writes what differs between the sides, verdicts first. Errors are w's.
func WriteComparison(w io.Writer, c *Comparison, opts CompareOptions) error {
	c = prose.Cleaned(c)
	var b bytes.Buffer
	draw, item := grid, ""
	if opts.Markdown {
		draw, item = markdownGrid, "- "
	} else if opts.Width > 0 {
		draw = fitted(opts.Width)
	}
	for i, side := range c.Sides {
		fmt.Fprintf(&b, item+"%s  %s, %s\n", letter(i), side, prose.Plural(c.Runs[i], "run"))
	}
	b.WriteByte('\n')
	if c.Compared == 0 {
		b.WriteString("nothing was compared: no pipeline of the same experiment is on every side\n")
	} else if err := verdictTable(&b, c, draw); err != nil {
		return err
	} else if err := figureTable(&b, c, opts, draw); err != nil {
		return err
	}
	if len(c.Missing) > 0 {
		b.WriteByte('\n')
	}
	for _, text := range missingLines(c.Missing) {
		b.WriteString(strings.Join(limited(item+text, opts.Width), "\n") + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// missingLines lists what was not compared, a line for each experiment.
func missingLines(all []Missing) []string {
	var lines []string
	for i := 0; i < len(all); {
		first, pipelines := all[i], []string{}
		for ; i < len(all) && all[i].Experiment == first.Experiment && slices.Equal(all[i].From, first.From); i++ {
			pipelines = append(pipelines, all[i].Pipeline)
		}
		lines = append(lines, fmt.Sprintf("not compared: %s (%s), missing in %s", first.Experiment, strings.Join(pipelines, ", "), strings.Join(first.From, ", ")))
	}
	return lines
}

// CompareJSON writes a comparison for programs. Errors are w's.
func CompareJSON(w io.Writer, c *Comparison) error { return EncodeJSON(w, c) }

// letter names a side in a table's head: A, B, …, Z, 27, 28, …
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprint(i + 1)
}

func verdictTable(b *bytes.Buffer, c *Comparison, draw drawer) error {
	if len(c.Verdicts) == 0 {
		b.WriteString("verdicts: no change\n\n")
		return nil
	}
	head := []string{"VERDICT", "EXPERIMENT", "PIPELINE", "CLAIM", "EXPECTED"}
	for i := range c.Sides {
		head = append(head, letter(i))
	}
	var body [][]string
	for _, v := range c.Verdicts {
		word := string(v.Change)
		if v.Worse {
			word = strings.ToUpper(word)
		}
		line := []string{word, v.Experiment, v.Pipeline, string(v.Guarantee), string(v.Expected)}
		for _, t := range v.Tallies {
			line = append(line, t.String())
		}
		body = append(body, line)
	}
	if err := draw(b, sheet{head, lefts(len(head)), body}); err != nil {
		return err
	}
	b.WriteByte('\n')
	return nil
}

// String names the verdict of one run, and counts those of several.
func (t Tally) String() string {
	var parts []string
	for _, c := range t.counts() {
		if c.n == t.Runs && t.Runs == 1 {
			return c.verdict
		}
		parts = append(parts, fmt.Sprintf("%d %s", c.n, c.verdict))
	}
	return strings.Join(parts, ", ")
}

// inRuns says in how many runs each verdict came out: "held in 3, violated in 1 of 4 runs".
func (t Tally) inRuns() string {
	var parts []string
	for _, c := range t.counts() {
		parts = append(parts, fmt.Sprintf("%s in %d", c.verdict, c.n))
	}
	return fmt.Sprintf("%s of %d runs", strings.Join(parts, ", "), t.Runs)
}

type verdictCount struct {
	n       int
	verdict string
}

// counts lists the verdicts that came out at all.
func (t Tally) counts() []verdictCount {
	return slices.DeleteFunc([]verdictCount{{t.Held, "held"}, {t.Violated, "violated"}, {t.Inconclusive, "inconclusive"}},
		func(c verdictCount) bool { return c.n == 0 })
}

func figureTable(b *bytes.Buffer, c *Comparison, opts CompareOptions, draw drawer) error {
	head := []string{"FIGURE", "EXPERIMENT", "PIPELINE"}
	left := lefts(3)
	for i := range c.Sides {
		head, left = append(head, letter(i)), append(left, false)
		if i > 0 {
			head, left = append(head, "DIFFERENCE"), append(left, true)
		}
	}
	var body [][]string
	hidden, chance := 0, 0.0
	for _, f := range c.Figures {
		chance = max(chance, f.chance())
		if f.rank() == 2 && !opts.All {
			hidden++
			continue
		}
		body = append(body, figureLine(f))
	}
	if len(body) == 0 {
		b.WriteString("figures: no change\n")
	} else if err := draw(b, sheet{head, left, body}); err != nil {
		return err
	}
	if chance > 0.01 {
		fmt.Fprintf(b, "with this few runs, %.0f %% of the figures that did not change look changed by chance (--repeat makes more runs)\n", 100*chance)
	}
	if hidden > 0 {
		fmt.Fprintf(b, "%s within the spread of repeated runs (--all lists them)\n", prose.Plural(hidden, "difference"))
	}
	return nil
}

func figureLine(f FigureChange) []string {
	line := []string{headerOf(f.Key), f.Experiment, f.Pipeline}
	for i, s := range f.Spreads {
		line = append(line, spreadText(s, f.Duration))
		if i > 0 {
			line = append(line, differenceText(f, i))
		}
	}
	return line
}

func headerOf(key string) string { return column(key).Header }

func headersOf(keys []string) []string {
	heads := make([]string, len(keys))
	for i, key := range keys {
		heads[i] = headerOf(key)
	}
	return heads
}

func isDuration(key string) bool { return column(key).Duration }

func column(key string) Column {
	for _, c := range Columns() {
		if c.Key == key {
			return c
		}
	}
	return Column{Key: key, Header: key}
}

// spreadText is the median, and from where to where the values go where there are several.
func spreadText(s Spread, duration bool) string {
	switch {
	case s.Runs == 0:
		return missing
	case s.Min == s.Max:
		return amountText(s.Median, duration)
	default:
		return fmt.Sprintf("%s (%s–%s)", amountText(s.Median, duration), amountText(s.Min, duration), amountText(s.Max, duration))
	}
}

func differenceText(f FigureChange, side int) string {
	d := f.Differences[side-1]
	if d == "" {
		return missing
	}
	from, to := f.Spreads[0].Median, f.Spreads[side].Median
	sign, delta := "+", Amount(0)
	if from != to { // infinity less infinity is no number
		delta = to - from
	}
	if delta < 0 {
		sign, delta = "-", -delta
	}
	text := sign + amountText(delta, f.Duration)
	if from > 0 && from < infinity && delta < infinity {
		text += fmt.Sprintf(" (%s%.0f %%)", sign, 100*delta/from)
	}
	return text + ", " + string(d)
}

// lefts are n columns of words.
func lefts(n int) []bool { return slices.Repeat([]bool{true}, n) }
