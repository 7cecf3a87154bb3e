// Package evidence writes what a run's folder shows as Parquet, for DuckDB, pandas and whatever else reads it: the evidence
// files of a verdict (anomalies, stalls, timeline, faults), and the whole history and read-back on demand. The columns are
// defined in docs/EVIDENCE.md; a test holds that page and the rows of this package together.
package evidence
