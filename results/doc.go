// Package results renders reports and experiments: one file a format. Every format takes its figures from Columns, so
// that a number has one name, one order and one definition wherever it is read.
//
// A new format is one file next to json.go: a function of a writer and a report that builds the whole text first and
// writes it once.
package results
