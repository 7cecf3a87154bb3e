package verifiers

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks"
)

// notCompared are the figures of which the oracle says nothing, and why. Every other one is compared in every drawn run.
var notCompared = map[string]string{
	"NoProgress":       "times between supply and output: TestMeterAgainstTheSlowWay draws and compares them",
	"NoProgressIn":     "the partition of NoProgress",
	"Recovery":         "times again: TestMeterAgainstTheSlowWay",
	"RecoveryFromHeal": "times again: TestMeterAgainstTheSlowWay",
	"P50":              "the live reader's own histogram, which is not made from what is drawn: TestLatency",
	"P99":              "see P50",
}

// requireSame compares every figure but those few. The fields of Numbers are the columns of every report: a test of
// package results holds that.
func requireSame(t require.TestingT, name string, want, got figures) {
	each(want, got, func(field string, want, got any) { require.Equal(t, want, got, "%s: %s", name, field) })
}

func each(want, got figures, do func(field string, want, got any)) {
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range w.NumField() {
		if field := w.Type().Field(i).Name; notCompared[field] == "" {
			do(field, w.Field(i).Interface(), g.Field(i).Interface())
		}
	}
}

func requireAsTheOracle(t *rapid.T, tb testing.TB, w *world) *harness.Report {
	report := w.judge(tb)
	doubts := slices.DeleteFunc(slices.Clone(report.Inconclusive), func(text string) bool {
		return strings.HasPrefix(text, "the observer's history holds no ") // drawn worlds may be as empty as that
	})
	require.Empty(t, doubts, "no figure contradicts another")
	for _, layout := range w.record.Plan.Pipelines {
		requireSame(t, layout.Name, oracle(w, layout), figuresOf(rowOf(tb, report, layout.Name).Numbers))
	}
	return report
}

// TestAgainstOracle draws histories and logs, and compares every number.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawnWorld(rt)
		report := requireAsTheOracle(rt, t, w)
		again, err := judge(w.save(t), harness.MaxAnomalies, small)
		require.NoError(rt, err)
		require.Equal(rt, asJSON(t, report), asJSON(t, again))
	})
}

// TestOracleSeesEveryNumber keeps a figure from being compared in runs in which it is always the same, and every cause of a
// duplicate or loss from never being drawn.
func TestOracleSeesEveryNumber(t *testing.T) {
	drawn := rapid.Custom(drawnWorld)
	clean := map[string]figures{}
	w := fullWorld()
	w.judge(t)
	for _, layout := range w.record.Plan.Pipelines {
		clean[layout.Name] = oracle(w, layout)
	}
	differs, caused := map[string]int{}, map[string]uint64{}
	for i := range 100 {
		w := drawn.Example(i)
		w.save(t)
		for _, layout := range w.record.Plan.Pipelines {
			is := oracle(w, layout)
			for _, by := range []map[string]uint64{is.DuplicatesBy, is.LostBy, is.AckedAbsentBy} {
				for cause, n := range by {
					caused[cause] += n
				}
			}
			each(clean[layout.Name], is, func(field string, want, got any) {
				if !reflect.DeepEqual(want, got) {
					differs[field]++
				}
			})
		}
	}
	each(figures{}, figures{}, func(field string, _, _ any) {
		require.Positive(t, differs[field], "%s is never anything but a clean run's", field)
	})
	for _, cause := range checks.Causes() {
		if !slices.Contains([]string{causes.EndedByCommit, causes.EndedByClient, causes.EndedByTimeout, causes.EndedByNewEpoch, causes.EndedByFault, causes.EndedUnasked}, cause) {
			require.Positive(t, caused[cause], "%s is never drawn", cause)
		}
	}
	for field := range notCompared {
		_, ok := reflect.TypeFor[figures]().FieldByName(field)
		require.True(t, ok, field)
	}
}
