package results

import "github.com/chaeos/chaeos/harness"

// The colours of a verdict on a terminal, as ANSI escape codes: the eight that every theme keeps readable.
const (
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// paint colours the cell that says what a pipeline delivered.
func paint(row harness.Row, text string) string {
	switch row.Verdict(row.Claims) {
	case harness.Held:
		return green + text + reset
	case harness.Violated:
		return red + text + reset
	default:
		return yellow + text + reset
	}
}
