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

// agrees compares what the reader counted with the judge's numbers, where they mean the same. The row's own source wrote
// straight to its outputs, or to the input.
func agrees(t testing.TB, found map[string]counts, n harness.Numbers, l harness.PipelineLayout, f families) {
	t.Helper()
	same := func(judge uint64, name string, keys []int64) {
		t.Helper()
		require.Equal(t, int(judge), found[name].in(keys...), "%s: %s", l.Name, name)
	}
	require.Zero(t, n.Count("hidden"), "what is hidden is not seen either")
	if l.ProducerOnly {
		same(n.Count("lost"), "unseen", f.outputs)
		same(n.Count("duplicates"), "copies", f.outputs)
		same(n.Count("duplicatedInputs"), "duplicate", f.outputs)
		same(n.Count("phantom"), "G1a", f.outputs)
		return
	}
	same(n.Count("ackedAbsent"), "unseen", f.inputs)
	same(n.Count("identityTwice"), "copies", f.inputs)
	same(n.Count("lost"), "unseen", f.through)
	same(n.Count("duplicates"), "copies", f.through)
	same(n.Count("duplicatedInputs"), "duplicate", f.through)
	resent := uint64(0)
	for cause, copies := range n.ByCause("duplicatesBy") {
		if !strings.HasPrefix(cause, "reprocessed") {
			resent += copies
		}
	}
	same(resent, "copies", f.outputs)
	if l.Transactional {
		same(n.Count("committedNotSeen"), "unseen", f.outputs)
		same(n.Count("abortedSeen")+n.Count("phantom"), "G1a", f.outputs)
		require.Equal(t, int(n.Count("torn")), found["torn"].total(), "%s: torn", l.Name)
	}
	if n.Count("duplicates") == 0 {
		back := found["nonmonotonic-send"].in(f.through...) + found["int-nonmonotonic-send"].in(f.through...)
		require.Equal(t, n.Count("reordered") > 0, back > 0, "%s: order", l.Name)
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
		var report harness.Report
		require.NoError(t, json.Unmarshal(data, &report))
		s := unpack(t, name)
		histories := s.export()
		for _, row := range report.Rows {
			l := s.layout(row.Pipeline)
			f := familiesOf(s.record.Plan, l)
			found := analyse(histories[row.Pipeline]).anomalies()
			agrees(t, found, row.Numbers, l, f)
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
