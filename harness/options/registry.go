// Package options is what the registries of faults and triggers share: how a name is looked up, and how the options of what
// it names are read.
package options

import (
	"fmt"
	"slices"
	"strings"
)

// Info describes one option for people.
type Info struct{ Name, About string }

// Registry is an explicit, sorted list of what users can name.
type Registry[K any] struct {
	// What is one of them, for errors: "fault".
	What string
	// NameOf is what users call one, Takes lists the options that it reads.
	NameOf func(K) string
	Takes  func(K) []Info
	Kinds  []K
}

// All lists every one there is, sorted by name.
func (r Registry[K]) All() []K { return slices.Clone(r.Kinds) }

// Names lists the names of all, sorted.
func (r Registry[K]) Names() []string {
	var names []string
	for _, k := range r.Kinds {
		names = append(names, r.NameOf(k))
	}
	return names
}

// Find returns the one of the given name, or an error that lists the names there are.
func (r Registry[K]) Find(name string) (K, error) {
	for _, k := range r.Kinds {
		if r.NameOf(k) == name {
			return k, nil
		}
	}
	var none K
	return none, fmt.Errorf("unknown %s %q (one of %s)", r.What, name, strings.Join(r.Names(), ", "))
}

// Open finds the one of the given name, and returns a reader of the options that were given for it.
func (r Registry[K]) Open(name string, given map[string]any) (K, *Reader, error) {
	kind, err := r.Find(name)
	if err != nil {
		return kind, nil, err
	}
	var known []string
	for _, o := range r.Takes(kind) {
		known = append(known, o.Name)
	}
	return kind, NewReader(name, known, given), nil
}
