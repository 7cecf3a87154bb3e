package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
	"github.com/chaeos/chaeos/results"
)

// evil is what a run folder of unknown origin may hold: colours, a title, a carriage return, another direction of writing.
const evil = "\x1b[31mred\x1b]0;title\a\r\u009b2J\u202e"

// poison puts it in front of every string.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(evil + v.String())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if key.Kind() == reflect.String && v.Type().Elem().Kind() == reflect.Uint64 {
				n := v.MapIndex(key)
				v.SetMapIndex(key, reflect.Value{})
				v.SetMapIndex(reflect.ValueOf(evil+key.String()).Convert(key.Type()), n)
			}
		}
	}
}

func poisoned[T any](v T) T {
	poison(reflect.ValueOf(&v).Elem())
	return v
}

// TestNothingUnsafeReachesATerminal: in whatever form a hostile run is shown, a terminal has nothing to obey but our own
// colours.
func TestNothingUnsafeReachesATerminal(t *testing.T) {
	report, comparison, sum := poisoned(violated()), poisoned(comparison()), poisoned(results.Summarise("x", suiteReports(), []string{"no java"}))
	report.Properties = map[string]string{evil: evil}
	for name, write := range map[string]func(io.Writer) error{
		"table":        func(w io.Writer) error { return results.Table(w, report, results.Options{Verify: evil}) },
		"narrow table": func(w io.Writer) error { return results.Table(w, report, results.Options{Width: 80, Color: true}) },
		"Markdown":     func(w io.Writer) error { return results.Markdown(w, report, results.Options{Verify: evil}) },
		"CSV":          func(w io.Writer) error { return results.CSV(w, []*harness.Report{report}) },
		"JSON":         func(w io.Writer) error { return results.JSON(w, report) },
		"JUnit": func(w io.Writer) error {
			return results.JUnit(w, []*harness.Report{report}, results.JUnitOptions{Failed: []string{evil}})
		},
		"life":          func(w io.Writer) error { return results.Life(w, poisoned(life())) },
		"lives as JSON": func(w io.Writer) error { return results.LivesJSON(w, []*harness.RecordLife{poisoned(life())}) },
		"list": func(w io.Writer) error {
			return results.ListExperiments(w, []harness.Experiment{{Name: evil, Summary: evil}})
		},
		"comparison": func(w io.Writer) error {
			return results.WriteComparison(w, comparison, results.CompareOptions{All: true})
		},
		"compared, MD": func(w io.Writer) error {
			return results.WriteComparison(w, comparison, results.CompareOptions{Markdown: true})
		},
		"summary":       func(w io.Writer) error { return results.WriteSummary(w, sum, results.SummaryOptions{}) },
		"summary, MD":   func(w io.Writer) error { return results.WriteSummary(w, sum, results.SummaryOptions{Markdown: true}) },
		"summary, CSV":  func(w io.Writer) error { return results.SummaryCSV(w, sum) },
		"summary, JSON": func(w io.Writer) error { return results.SummaryJSON(w, sum) },
		"summary, XML":  func(w io.Writer) error { return results.SummaryJUnit(w, sum, results.JUnitOptions{}) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b), name)
		require.Contains(t, b.String(), "red", name)
		text := regexp.MustCompile("\x1b\\[3[123]m|\x1b\\[0m").ReplaceAllString(b.String(), "")
		require.NotContains(t, b.String(), "\x1b[31mred", name)
		at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && prose.Unsafe(r) })
		require.Negative(t, at, "%s: %q", name, text[max(at, 0):])
	}
}

// TestJSONKeepsWhatItEscapes: a program reads the same text as before.
func TestJSONKeepsWhatItEscapes(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.EncodeJSON(&b, evil+"é\u2028\ufffd"))
	var back string
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, evil+"é\u2028\ufffd", back)
}

// TestCSVHasNoFormulas: a spreadsheet calculates nothing that a run's folder says, and figures stay figures.
func TestCSVHasNoFormulas(t *testing.T) {
	for _, formula := range []string{`=cmd|'/C calc'!A0`, "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1"} {
		r := violated()
		r.Run, r.Experiment, r.Kafka, r.Rows[0].Pipeline = formula, formula, formula, formula
		r.Exit = -1
		r.Rows[0].Numbers.Set("recovery", -s(1.5))
		var one, many bytes.Buffer
		require.NoError(t, results.CSV(&one, []*harness.Report{r}))
		require.NoError(t, results.SummaryCSV(&many, results.Summarise("x", []*harness.Report{r}, nil)))
		for _, text := range []string{one.String(), many.String()} {
			lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			require.NoError(t, err)
			for _, cell := range lines[1] {
				if cell != "-1" && cell != "-1.5" {
					require.NotRegexp(t, `^\s*[=+@-]`, cell)
				}
			}
		}
		require.Contains(t, one.String(), ",-1,")
		require.Contains(t, one.String(), ",-1.5,")
	}
}
