// Package usage makes the errors for what a command line can't mean.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/nearest"
)

// Errorf returns a harness.UsageError.
func Errorf(format string, args ...any) error {
	return harness.UsageError{Reason: fmt.Sprintf(format, args...)}
}

// Unknown returns the usage error for a name that isn't there: it offers the nearest names, or all of them.
func Unknown(kind, name string, names []string) error {
	near := nearest.Names(name, names)
	if len(near) == 0 {
		return Errorf("unknown %s %q (there are: %s)", kind, name, strings.Join(names, ", "))
	}
	return Errorf("unknown %s %q (did you mean %s?)", kind, name, strings.Join(near, ", "))
}

// OneOf returns a usage error unless name is among names.
func OneOf(kind, name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return Unknown(kind, name, names)
}

// Names joins names for a help text.
func Names(names []string) string { return "one of " + strings.Join(names, ", ") }
