package results_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	expected "github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results"
)

// inferred makes a schema from a document's type.
func inferred[T any](t *testing.T, title, description string) *jsonschema.Schema {
	t.Helper()
	words := func(of ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: of} }
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Duration]():       {Type: "integer", Description: "nanoseconds"},
		reflect.TypeFor[history.Time]():        {Type: "integer", Description: "CLOCK_MONOTONIC nanoseconds"},
		reflect.TypeFor[harness.Verdict]():     words("inconclusive", "held", "violated"),
		reflect.TypeFor[harness.Guarantee]():   words("at-most-once", "at-least-once", "exactly-once", "in-order"),
		reflect.TypeFor[harness.Expectation](): words("must-hold", "must-break", "may-break"),
		reflect.TypeFor[harness.Numbers]():     numbersSchema(),
	}})
	require.NoError(t, err)
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title, schema.Description = title, description
	return schema
}

// numbersSchema is made from the declared numbers, as the numbers' JSON is.
func numbersSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, n := range harness.InJSON() {
		count := &jsonschema.Schema{Type: "integer", Minimum: p(0.0)}
		switch {
		case n.Kind == harness.ByCause:
			count = &jsonschema.Schema{Type: "object", AdditionalProperties: count}
		case n.Kind == harness.Duration:
			count = &jsonschema.Schema{Type: "integer", Description: "nanoseconds"}
		case n.Kind == harness.PartitionID:
			count.Minimum, count.Maximum = p(float64(math.MinInt32)), p(float64(math.MaxInt32))
		}
		if n.Absent != harness.Zero {
			count.Type, count.Types = "", []string{"null", "integer"}
		}
		s.Properties[n.Key] = count
		s.PropertyOrder = append(s.PropertyOrder, n.Key)
		if n.Absent != harness.Omitted && n.Kind != harness.ByCause {
			s.Required = append(s.Required, n.Key)
		}
	}
	return s
}

func TestSchemasAreCurrent(t *testing.T) {
	for file, of := range map[string]struct {
		schema *jsonschema.Schema
		is     []byte
	}{
		"report.schema.json": {inferred[harness.Report](t, "chaeos report",
			"The verdict on one run, as chaeos run --json and chaeos verify --json print it. docs/NUMBERS.md defines every number."), results.Schema},
		"summary.schema.json": {inferred[results.Summary](t, "chaeos summary",
			"What the runs of a suite showed together, as chaeos run --suite --json and chaeos report --summary --json print it."), results.SummarySchema},
		"comparison.schema.json": {inferred[results.Comparison](t, "chaeos comparison",
			"What differs between runs, or folders of runs, and the first of them, as chaeos compare --json prints it."), results.ComparisonSchema},
	} {
		text, err := json.MarshalIndent(of.schema, "", "  ")
		require.NoError(t, err)
		text = append(text, '\n')
		expected.Same(t, file, string(text), *update)
		if !*update {
			require.Empty(t, expected.Diff(string(text), string(of.is)), "%s is embedded as it is", file)
		}
	}
}

// TestOtherDocumentsKeepTheirSchemas: summaries and comparisons as they are written.
func TestOtherDocumentsKeepTheirSchemas(t *testing.T) {
	var sum, comparison bytes.Buffer
	require.NoError(t, results.SummaryJSON(&sum, results.Summarise("x", suiteReports(), []string{"latency seed 3: no java"})))
	require.NoError(t, results.SummaryJSON(&sum, results.Summarise("x", nil, nil)))
	require.NoError(t, results.CompareJSON(&comparison, results.Compare(everySide())))
	for _, c := range []struct {
		schema []byte
		text   io.Reader
		of     int
	}{{results.SummarySchema, &sum, 2}, {results.ComparisonSchema, &comparison, 1}} {
		schema, docs := resolved(t, c.schema), json.NewDecoder(c.text)
		for range c.of {
			var doc map[string]any
			require.NoError(t, docs.Decode(&doc))
			require.NoError(t, schema.Validate(doc))
			doc["more"] = 1
			require.Error(t, schema.Validate(doc), "an unknown field")
		}
	}
}

func resolved(t *testing.T, text []byte) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &schema))
	r, err := schema.Resolve(nil)
	require.NoError(t, err)
	return r
}

// published is the report's schema as it stands in the file: an update writes it in the same run in which it is asked for, when
// the one that the test embeds is still the old one.
func published(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("report.schema.json")
	require.NoError(t, err)
	return resolved(t, text)
}

func TestReportsKeepTheSchema(t *testing.T) {
	schema := published(t)
	for name, report := range reports {
		var b bytes.Buffer
		require.NoError(t, results.JSON(&b, report()))
		require.NoError(t, schema.Validate(decoded(t, b.Bytes())), name)
	}
}

// TestSchemaRefuses breaks a report in ways that a schema which accepts everything would let pass.
func TestSchemaRefuses(t *testing.T) {
	schema := published(t)
	for name, mutate := range map[string]func(map[string]any){
		"no rows":              func(r map[string]any) { delete(r, "rows") },
		"an unknown field":     func(r map[string]any) { r["verdict"] = "held" },
		"a count as a string":  func(r map[string]any) { numbers(r)["lost"] = "none" },
		"an unknown guarantee": func(r map[string]any) { row0(r)["claims"] = "best-effort" },
	} {
		var b bytes.Buffer
		require.NoError(t, results.JSON(&b, violated()))
		doc := decoded(t, b.Bytes())
		mutate(doc)
		require.Error(t, schema.Validate(doc), name)
	}
}

func decoded(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(text, &doc))
	return doc
}

func row0(r map[string]any) map[string]any { return r["rows"].([]any)[0].(map[string]any) }

func numbers(r map[string]any) map[string]any { return row0(r)["numbers"].(map[string]any) }

// TestSavedReportsKeepTheSchema reads what the golden files hold: the published form, whoever wrote it.
func TestSavedReportsKeepTheSchema(t *testing.T) {
	schema := published(t)
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(decoded(t, text)), file)
	}
}
