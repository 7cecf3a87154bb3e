package results_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results"
)

// inferred makes the schema from the report's types.
func inferred(t *testing.T) *jsonschema.Schema {
	t.Helper()
	words := func(of ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: of} }
	schema, err := jsonschema.For[harness.Report](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Duration]():       {Type: "integer", Description: "nanoseconds"},
		reflect.TypeFor[history.Time]():        {Type: "integer", Description: "CLOCK_MONOTONIC nanoseconds"},
		reflect.TypeFor[harness.Verdict]():     words("inconclusive", "held", "violated"),
		reflect.TypeFor[harness.Guarantee]():   words("at-most-once", "at-least-once", "exactly-once"),
		reflect.TypeFor[harness.Expectation](): words("must-hold", "must-break", "may-break"),
	}})
	require.NoError(t, err)
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title = "chaeos report"
	schema.Description = "The verdict on one run, as chaeos run --json and chaeos verify --json print it. docs/NUMBERS.md defines every number."
	return schema
}

func TestSchemaIsCurrent(t *testing.T) {
	text, err := json.MarshalIndent(inferred(t), "", "  ")
	require.NoError(t, err)
	text = append(text, '\n')
	if *update {
		require.NoError(t, os.WriteFile("report.schema.json", text, 0o644))
		return
	}
	require.Equal(t, string(text), string(results.Schema), "the report's types have changed: go test ./results -update")
}

func published(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(results.Schema, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	return resolved
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
