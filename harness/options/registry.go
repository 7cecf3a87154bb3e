// Package options is what registries of faults and triggers share: how a name is looked up, and how the options of what it
// names are read.
package options

import (
	"fmt"
	"slices"
	"strings"
)

// Registry is an explicit, sorted list of what users can name.
type Registry[K any] struct {
	// What is one of them, for errors: "fault".
	What string
	// NameOf is what users call one.
	NameOf func(K) string
	Kinds  []K
}

// All lists every one there is, sorted by name.
func (r Registry[K]) All() []K { return slices.Clone(r.Kinds) }

// Names lists the names of all, sorted.
func (r Registry[K]) Names() []string { return Names(r.Kinds, r.NameOf) }

// Names lists the names of things, in their order.
func Names[K any](kinds []K, nameOf func(K) string) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, nameOf(k))
	}
	return names
}

// Find returns the one named so, or an error that lists the names there are.
func (r Registry[K]) Find(name string) (K, error) {
	for _, k := range r.Kinds {
		if r.NameOf(k) == name {
			return k, nil
		}
	}
	var none K
	return none, fmt.Errorf("unknown %s %q (one of %s)", r.What, name, strings.Join(r.Names(), ", "))
}
