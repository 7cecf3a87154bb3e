package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/results"
)

var reports = map[string]func() *harness.Report{"clean": clean, "violated": violated, "inconclusive": inconclusive, "no-faults": noFaults}

func TestTable(t *testing.T) {
	for name, report := range reports {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			r := report()
			require.NoError(t, results.Table(&b, r, results.Options{Verify: "chaeos verify runs/" + r.Run}))
			golden.Equal(t, "testdata/"+name+".txt", b.Bytes())
			for line := range strings.Lines(b.String()) {
				require.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no line ends in a blank")
			}
		})
	}
}

// TestTableFits80Columns prints every report for a narrow terminal: no line is too long, and no figure is gone.
func TestTableFits80Columns(t *testing.T) {
	for name, report := range reports {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			r := report()
			require.NoError(t, results.Table(&b, r, results.Options{Width: 80}))
			golden.Equal(t, "testdata/"+name+".80.txt", b.Bytes())
			for line := range strings.Lines(b.String()) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
			}
			unwrapped := strings.Join(strings.Fields(b.String()), " ")
			for _, c := range results.Columns() {
				if c.Show == harness.Always {
					require.Contains(t, unwrapped, c.Header)
				}
			}
		})
	}
}

// TestTableColoursVerdictsOnly: and only a violation that was not wanted is red.
func TestTableColoursVerdictsOnly(t *testing.T) {
	var plain, coloured bytes.Buffer
	require.NoError(t, results.Table(&plain, violated(), results.Options{}))
	require.NoError(t, results.Table(&coloured, violated(), results.Options{Color: true}))
	require.NotContains(t, plain.String(), "\x1b")
	require.Contains(t, coloured.String(), "\x1b[31mviolated\x1b[0m")
	require.Contains(t, coloured.String(), "\x1b[36mviolated, as expected\x1b[0m")
	require.Contains(t, coloured.String(), "\x1b[32mat-least-once\x1b[0m")
	require.Equal(t, plain.String(), regexp.MustCompile("\x1b\\[\\d+m").ReplaceAllString(coloured.String(), ""), "colours take no room")
}

func TestHeadNamesTheTopology(t *testing.T) {
	r := clean()
	r.Brokers, r.Controllers, r.Racks = 5, 3, []string{"a", "b"}
	r.Properties = map[string]string{"replica.lag.time.max.ms": "10000", "log.flush.interval.messages": "1"}
	r.Features = []harness.Feature{{Name: "transaction.version", Level: 1}, {Name: "share.version", Level: 1}}
	r.Asked = []harness.Feature{{Name: "transaction.version", Level: 1}, {Name: "share.version", Level: 1},
		{Name: "eligible.leader.replicas.version"}, {Name: "group.version"}}
	var b bytes.Buffer
	require.NoError(t, results.Table(&b, r, results.Options{}))
	lines := strings.Split(b.String(), "\n")
	require.Contains(t, lines[0],
		"Kafka 4.3.1 x 5 + 3 controllers (min ISR 2, transaction.version 1, ELR 0, share.version 1, group.version 0, racks a b)")
	require.Equal(t, "brokers  log.flush.interval.messages=1, replica.lag.time.max.ms=10000", lines[1])
}

func TestTableListsAsManyStallsAsAsked(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.Table(&b, inconclusive(), results.Options{Stalls: 7}))
	require.NotContains(t, b.String(), "more, none longer")
	require.NotContains(t, b.String(), "again")
}

func TestTableReportsAFailedWrite(t *testing.T) {
	full := errors.New("disk full")
	require.ErrorIs(t, results.Table(failing{full}, clean(), results.Options{}), full)
	require.ErrorIs(t, results.JSON(failing{full}, clean()), full)
	require.ErrorIs(t, results.ListExperiments(failing{full}, []harness.Experiment{{Name: "baseline"}}), full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestJSON(t *testing.T) {
	for name, report := range reports {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, results.JSON(&b, report()))
			golden.Equal(t, "testdata/"+name+".json", b.Bytes())
			var back harness.Report
			require.NoError(t, json.Unmarshal(b.Bytes(), &back))
			require.Equal(t, report(), &back, "nothing is lost on the way")
		})
	}
}

// TestColumnsCoverEveryNumber keeps a figure from being computed and shown nowhere.
func TestColumnsCoverEveryNumber(t *testing.T) {
	keys := map[string]bool{"pipeline": true, "claims": true, "expected": true, "delivered": true}
	for _, n := range harness.DeclaredNumbers() {
		if n.Kind != harness.ByCause { // causes are listed below the table
			keys[n.Key] = true
		}
	}
	seen := map[string]bool{}
	for _, c := range results.Columns() {
		require.False(t, seen[c.Key], "column %s is there twice", c.Key)
		seen[c.Key] = true
		require.NotEmpty(t, c.Header)
		require.NotEmpty(t, c.Anchor)
		require.Equal(t, strings.ToUpper(c.Header), c.Header)
	}
	require.Equal(t, keys, seen)
}

// TestColumnsReadTheirOwnNumber fills one number at a time: exactly the column of that name must see it.
func TestColumnsReadTheirOwnNumber(t *testing.T) {
	for _, n := range harness.DeclaredNumbers() {
		if n.Kind == harness.ByCause || n.Of != "" { // shown only with the number that it is of
			continue
		}
		var row harness.Row
		fill(&row.Numbers, n)
		for _, c := range results.Columns() {
			changed := !reflect.DeepEqual(c.Value(row), c.Value(harness.Row{}))
			want := c.Key == n.Key || c.Key == "noProgressIn" && n.Key == "noProgress"
			require.Equal(t, want, changed, "number %s, column %s", n.Key, c.Key)
		}
	}
}

// fill gives a number a value other than 0.
func fill(to *harness.Numbers, n harness.Number) {
	switch n.Kind {
	case harness.Count:
		to.Set(n.Key, 41)
	case harness.Duration:
		to.Set(n.Key, time.Duration(41))
	case harness.PartitionID:
		to.Set(n.Key, int32(41))
	}
}
