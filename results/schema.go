package results

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of what JSON writes. It is made from the report's types; a test keeps it
// current and validates real reports against it.
//
//go:embed report.schema.json
var Schema []byte

// SummarySchema is the JSON Schema of what SummaryJSON writes.
//
//go:embed summary.schema.json
var SummarySchema []byte

// ComparisonSchema is the JSON Schema of what CompareJSON writes.
//
//go:embed comparison.schema.json
var ComparisonSchema []byte
