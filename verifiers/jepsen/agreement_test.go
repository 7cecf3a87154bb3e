package jepsen_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// families are the keys of a row by what they stand for: logs of the input, logs of the output, and the pipeline as a
// whole. A source under test has output logs only.
type families struct{ inputs, outputs, through []int64 }

func familiesOf(plan harness.TopicPlan, l harness.PipelineLayout) (f families) {
	parts, next := int64(plan.Partitions), int64(0)
	take := func(n int64) (keys []int64) {
		for ; n > 0; n-- {
			keys = append(keys, next)
			next++
		}
		return keys
	}
	if !l.ProducerOnly {
		f.inputs = take(parts)
	}
	f.outputs = take(parts * int64(len(l.Outputs())))
	if !l.ProducerOnly {
		f.through = take(int64(len(f.outputs)))
	}
	return f
}

// judged are the judge's numbers of a row by their names in the report, which is all that this reader knows of the judge.
type judged struct {
	Pipeline string
	Numbers  figures
}

type figures map[string]any

// count is a number, 0 where a row has none.
func (f figures) count(name string) uint64 {
	n, _ := f[name].(float64)
	return uint64(n)
}

// rowsOf reads a report's rows.
func rowsOf(t testing.TB, data []byte) []judged {
	t.Helper()
	var report struct{ Rows []judged }
	require.NoError(t, json.Unmarshal(data, &report))
	require.NotEmpty(t, report.Rows)
	for _, r := range report.Rows {
		for _, name := range []string{"lost", "hidden", "duplicates", "duplicatedInputs", "phantom", "reordered", "ackedAbsent", "identityTwice", "torn", "committedNotSeen", "abortedSeen"} {
			require.Contains(t, r.Numbers, name, "the report's names have changed")
		}
	}
	return slices.DeleteFunc(report.Rows, func(r judged) bool { return r.Pipeline == harness.SourceRow }) // it is no pipeline
}

// agrees compares what the reader counted with the judge's numbers, where they mean the same. The row's own source wrote
// straight to its outputs, or to the input.
func agrees(t testing.TB, found map[string]counts, row judged, l harness.PipelineLayout, f families) {
	t.Helper()
	n := row.Numbers
	same := func(judge uint64, name string, keys []int64) {
		t.Helper()
		require.Equal(t, int(judge), found[name].in(keys...), "%s: %s", l.Name, name)
	}
	require.Zero(t, n.count("hidden"), "what is hidden is not seen either")
	if l.ProducerOnly {
		same(n.count("lost"), "unseen", f.outputs)
		same(n.count("duplicates"), "copies", f.outputs)
		same(n.count("duplicatedInputs"), "duplicate", f.outputs)
		same(n.count("phantom"), "G1a", f.outputs)
		return
	}
	same(n.count("ackedAbsent"), "unseen", f.inputs)
	same(n.count("identityTwice"), "copies", f.inputs)
	same(n.count("lost"), "unseen", f.through)
	same(n.count("duplicates"), "copies", f.through)
	same(n.count("duplicatedInputs"), "duplicate", f.through)
	resent := uint64(0)
	causes, _ := n["duplicatesBy"].(map[string]any)
	for cause := range causes {
		if !strings.HasPrefix(cause, "reprocessed") {
			resent += figures(causes).count(cause)
		}
	}
	same(resent, "copies", f.outputs)
	if l.Transactional {
		same(n.count("committedNotSeen"), "unseen", f.outputs)
		same(n.count("abortedSeen")+n.count("phantom"), "G1a", f.outputs)
		require.Equal(t, int(n.count("torn")), found["torn"].total(), "%s: torn", l.Name)
	}
	if n.count("duplicates") == 0 {
		back := found["nonmonotonic-send"].in(f.through...) + found["int-nonmonotonic-send"].in(f.through...)
		require.Equal(t, n.count("reordered") > 0, back > 0, "%s: order", l.Name)
	}
}

// TestCorpus counts what the runs of real brokers show, which docs/JEPSEN.md lists, and compares it with what the judge
// said of them, long before and by other means.
func TestCorpus(t *testing.T) {
	packed, err := filepath.Glob(filepath.Join(corpus, "*.tar.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, packed)
	var lines []string
	for _, path := range packed {
		name := strings.TrimSuffix(filepath.Base(path), ".tar.gz")
		data, err := os.ReadFile(filepath.Join(corpus, name+".json"))
		require.NoError(t, err)
		s := unpack(t, name)
		histories := s.export()
		for _, row := range rowsOf(t, data) {
			if row.Pipeline == harness.SourceRow {
				continue // its keys are in the histories of the pipelines
			}
			l := s.layout(row.Pipeline)
			f := familiesOf(s.record.Plan, l)
			found := analyse(histories[row.Pipeline]).anomalies()
			agrees(t, found, row, l, f)
			lines = append(lines, fmt.Sprintf("%s %s: %s", name, row.Pipeline, summary(found, f)))
		}
	}
	page, err := os.ReadFile("../../docs/JEPSEN.md")
	require.NoError(t, err)
	want := "```\n" + strings.Join(lines, "\n") + "\n```\n"
	if !strings.Contains(string(page), want) {
		require.Fail(t, "docs/JEPSEN.md lists other counts", "it should hold\n%s", want)
	}
}

// summary lists what was found, by the kind of keys: "unseen in 3, out 4, through 5".
func summary(found map[string]counts, f families) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name == "copies" {
			continue
		}
		var at []string
		for _, family := range []struct {
			name string
			keys []int64
		}{{"in", f.inputs}, {"out", f.outputs}, {"through", f.through}} {
			if n := found[name].in(family.keys...); n > 0 {
				at = append(at, fmt.Sprintf("%s %d", family.name, n))
			}
		}
		if whole := slices.Contains([]string{"torn", "G0", "G1c"}, name); whole && found[name].total() > 0 {
			at = []string{fmt.Sprint(found[name].total())}
		}
		if len(at) > 0 {
			all = append(all, name+" "+strings.Join(at, " "))
		}
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}
