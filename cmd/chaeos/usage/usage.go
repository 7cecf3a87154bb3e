package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness/nearest"
)

// unknown is the usage error for a name that isn't there: it offers the nearest names, or all of them.
func unknown(kind, name string, names []string) error {
	near := nearest.Names(name, names)
	if len(near) == 0 {
		return usagef("unknown %s %q (there are: %s)", kind, name, strings.Join(names, ", "))
	}
	return usagef("unknown %s %q (did you mean %s?)", kind, name, strings.Join(near, ", "))
}

// oneOf returns a usage error unless name is among names.
func oneOf(kind, name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return unknown(kind, name, names)
}

// quoted joins names for a help text.
func quoted(names []string) string { return fmt.Sprintf("one of %s", strings.Join(names, ", ")) }
