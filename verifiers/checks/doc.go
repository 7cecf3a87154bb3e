// Package checks holds what is looked for in every row, one check a file. A check is a variable of type kit.Check: its name, its
// numbers with their definitions, the planted fault that proves it, and Begin, which starts its counting for one row. It is
// registered by one line in registry.go; everything else (columns, JSON, its schema, CSV, docs/NUMBERS.md) follows from what it
// declares. docs/ADD-A-CHECK.md leads through one.
//
// Checks are pure: no I/O of their own, no clock, no logger. They are shown a row's logs batch by batch while those are
// streamed once, and finish when everything is known.
package checks
