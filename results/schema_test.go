package results_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
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
		reflect.TypeFor[results.Amount]():      {Types: []string{"number", "null"}, Description: "a count, or nanoseconds; null: infinite"},
		reflect.TypeFor[results.Change]():      words("worse", "nothing proved", "different", "better"),
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

// reportSchema, summarySchema and comparisonSchema are made from the types as they are now: what tests validate against, so
// that one run with -update is enough.
func reportSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return inferred[harness.Report](t, "chaeos report",
		"The verdict on one run, as chaeos run --json and chaeos verify --json print it. docs/NUMBERS.md defines every number.")
}

func summarySchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return inferred[results.Summary](t, "chaeos summary",
		"What the runs of a suite showed together, as chaeos run --suite --json and chaeos report --summary --json print it.")
}

func comparisonSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	return inferred[results.Comparison](t, "chaeos comparison",
		"What differs between runs, or folders of runs, and the first of them, as chaeos compare --json prints it.")
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
		schema    *jsonschema.Schema
		published []byte
	}{
		"report.schema.json":     {reportSchema(t), results.Schema},
		"summary.schema.json":    {summarySchema(t), results.SummarySchema},
		"comparison.schema.json": {comparisonSchema(t), results.ComparisonSchema},
	} {
		text, err := json.MarshalIndent(of.schema, "", "  ")
		require.NoError(t, err)
		golden.Equal(t, file, append(text, '\n'))
		if !golden.Updating() {
			require.True(t, bytes.Equal(append(text, '\n'), of.published), "the program carries another file than %s", file)
		}
	}
}

// TestTimesNameTheirUnit: a number of a document is a count, an id or an offset, or its description says what it is in.
func TestTimesNameTheirUnit(t *testing.T) {
	schema := reportSchema(t)
	require.Contains(t, schema.Properties["loadStart"].Description, "nanoseconds")
	stall := schema.Properties["stalls"].Items
	for _, name := range []string{"start", "end", "length", "stateAt", "endStateAt", "timeout", "began"} {
		require.Contains(t, stall.Properties[name].Description, "nanoseconds", name)
	}
	require.Contains(t, stall.Properties["marker"].Properties["at"].Description, "nanoseconds")
	for _, name := range []string{"longestStall", "totalStall", "noProgress", "recovery", "recoveryFromHeal", "p50", "p99"} {
		require.Contains(t, schema.Properties["rows"].Items.Properties["numbers"].Properties[name].Description, "nanoseconds", name)
	}
}

// TestOtherDocumentsKeepTheirSchemas: summaries and comparisons as they are written.
func TestOtherDocumentsKeepTheirSchemas(t *testing.T) {
	var sum, comparison bytes.Buffer
	require.NoError(t, results.SummaryJSON(&sum, results.Summarise("x", suiteReports(), []string{"latency seed 3: no java"})))
	require.NoError(t, results.SummaryJSON(&sum, results.Summarise("x", nil, nil)))
	require.NoError(t, results.CompareJSON(&comparison, results.Compare(everySide())))
	for _, c := range []struct {
		schema *jsonschema.Schema
		text   io.Reader
		of     int
	}{{summarySchema(t), &sum, 2}, {comparisonSchema(t), &comparison, 1}} {
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

func resolved(t *testing.T, schema *jsonschema.Schema) *jsonschema.Resolved {
	t.Helper()
	r, err := schema.Resolve(nil)
	require.NoError(t, err)
	return r
}

// TestReportsKeepTheSchema: TestJSON holds the same documents against the golden files, so those keep it too.
func TestReportsKeepTheSchema(t *testing.T) {
	schema := resolved(t, reportSchema(t))
	for name, report := range reports {
		var b bytes.Buffer
		require.NoError(t, results.JSON(&b, report()))
		require.NoError(t, schema.Validate(decoded(t, b.Bytes())), name)
	}
}

// TestSchemaRefuses breaks a report in ways that a schema which accepts everything would let pass.
func TestSchemaRefuses(t *testing.T) {
	schema := resolved(t, reportSchema(t))
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
