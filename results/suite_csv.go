package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// SummaryCSV writes one line an experiment and pipeline: the counts of verdicts, and the worst figures by their keys.
// Durations are seconds, inf where infinite; what no run observed is empty, never 0. Errors are w's.
func SummaryCSV(w io.Writer, s *Summary) error {
	head := []string{"experiment", "pipeline", "claims", "expected", "runs", "held", "violated", "inconclusive", "surprises", "violatedBelow"}
	lines := [][]string{append(head, worstColumns()...)}
	for _, r := range s.Rows {
		line := []string{word(r.Experiment), word(r.Pipeline), word(string(r.Claims)), word(string(r.Expected))}
		for _, n := range []int{r.Runs, r.Held, r.Violated, r.Inconclusive, r.Surprises} {
			line = append(line, strconv.Itoa(n))
		}
		below := ""
		if r.ViolatedBelow != nil {
			below = strconv.FormatFloat(*r.ViolatedBelow, 'f', 4, 64)
		}
		line = append(line, below)
		for _, key := range worstColumns() {
			line = append(line, worstPlain(r, key))
		}
		lines = append(lines, line)
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return nil
}

// worstPlain is a worst figure for a program.
func worstPlain(r SummaryRow, key string) string {
	worst, ok := r.Worst[key]
	switch {
	case !ok:
		return ""
	case worst == infinity:
		return infinitePlain
	case isDuration(key):
		return plain(time.Duration(worst))
	default:
		return strconv.FormatFloat(float64(worst), 'f', -1, 64)
	}
}
