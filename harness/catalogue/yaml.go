package catalogue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/chaeos/chaeos/harness"
)

// Error is a mistake in an experiment's file, and where it is.
type Error struct {
	File         string
	Line, Column int
	Problem      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
}

// Unwrap makes it a usage error: nothing was started.
func (e *Error) Unwrap() error { return harness.UsageError{Reason: e.Error()} }

// decoder reads a file's nodes. It keeps the first thing that is wrong; after that it returns zero values.
type decoder struct {
	file string
	err  *Error
}

func (d *decoder) fail(at *token.Token, format string, args ...any) {
	if d.err != nil {
		return
	}
	d.err = &Error{File: d.file, Line: 1, Column: 1, Problem: fmt.Sprintf(format, args...)}
	if at != nil && at.Position != nil {
		d.err.Line, d.err.Column = at.Position.Line, at.Position.Column
	}
}

// root parses the file, which must be one YAML document with a mapping.
func (d *decoder) root(source []byte) ast.Node {
	file, err := parser.ParseBytes(source, 0)
	var bad yaml.Error
	switch {
	case errors.As(err, &bad):
		d.fail(bad.GetToken(), "not YAML: %s", bad.GetMessage())
	case err != nil:
		d.fail(nil, "not YAML: %v", err)
	case len(file.Docs) != 1 || file.Docs[0].Body == nil:
		d.fail(nil, "expected one YAML document with an experiment")
	default:
		return file.Docs[0].Body
	}
	return nil
}

// field is one entry of a mapping.
type field struct {
	name  string
	key   *token.Token
	value ast.Node
}

// entries lists a mapping's entries in order.
func (d *decoder) entries(node ast.Node, what string) []field {
	m, ok := node.(ast.MapNode)
	if !ok {
		if node != nil {
			d.fail(node.GetToken(), "expected a mapping %s, not %s", what, kindOf(node))
		}
		return nil
	}
	var out []field
	for it := m.MapRange(); it.Next(); {
		key := it.Key().GetToken()
		if name := key.Value; it.Key().IsMergeKey() {
			d.fail(key, "merge keys are not supported")
		} else {
			out = append(out, field{name, key, it.Value()})
		}
	}
	return out
}

// fields reads a mapping whose keys are known; a key that isn't is an error with the nearest names.
func (d *decoder) fields(node ast.Node, what string, known ...string) map[string]field {
	out := map[string]field{}
	for _, f := range d.entries(node, what) {
		if !slices.Contains(known, f.name) {
			d.fail(f.key, "unknown field %q (%s)", f.name, suggest(f.name, known))
		}
		out[f.name] = f
	}
	return out
}

// require refuses a mapping that lacks a field.
func (d *decoder) require(node ast.Node, fields map[string]field, names ...string) {
	for _, name := range names {
		if _, ok := fields[name]; !ok && node != nil {
			d.fail(first(node), "the field %q is missing", name)
		}
	}
}

// first is the token that a node begins with.
func first(node ast.Node) *token.Token {
	if m, ok := node.(ast.MapNode); ok {
		if it := m.MapRange(); it.Next() {
			return it.Key().GetToken()
		}
	}
	return node.GetToken()
}

func kindOf(node ast.Node) string {
	switch n := node.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case ast.ScalarNode:
		return fmt.Sprintf("%q", n.GetToken().Value)
	}
	return fmt.Sprintf("%q", node.String())
}

func (d *decoder) text(f field) string {
	switch n := f.value.(type) {
	case nil:
		return ""
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value)
	}
	d.fail(first(f.value), "expected words for %s, not %s", f.name, kindOf(f.value))
	return ""
}

func (d *decoder) number(f field, low, high float64) float64 {
	var x float64
	switch n := f.value.(type) {
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			x = float64(v)
		case uint64:
			x = float64(v)
		}
	case *ast.FloatNode:
		x = n.Value
	default:
		d.fail(first(f.value), "expected a number for %s, not %s", f.name, kindOf(f.value))
		return 0
	}
	if x < low || x > high {
		d.fail(first(f.value), "%s must be from %v to %v, not %v", f.name, low, high, kindOf(f.value))
	}
	return x
}

func (d *decoder) integer(f field, low, high int) int {
	if n, ok := f.value.(*ast.FloatNode); ok {
		d.fail(n.GetToken(), "expected a whole number for %s, not %s", f.name, kindOf(n))
		return 0
	}
	return int(d.number(f, float64(low), float64(high)))
}

func (d *decoder) boolean(f field) bool {
	n, ok := f.value.(*ast.BoolNode)
	if !ok {
		d.fail(first(f.value), "expected true or false for %s, not %s", f.name, kindOf(f.value))
		return false
	}
	return n.Value
}

func (d *decoder) duration(f field, low, high time.Duration) time.Duration {
	s, ok := f.value.(*ast.StringNode)
	if !ok {
		d.fail(first(f.value), "expected a duration like 10s for %s, not %s", f.name, kindOf(f.value))
		return 0
	}
	x, err := time.ParseDuration(s.Value)
	if err != nil {
		d.fail(s.GetToken(), "expected a duration like 10s for %s, not %q", f.name, s.Value)
	} else if x < low || x > high {
		d.fail(s.GetToken(), "%s must be from %s to %s, not %s", f.name, low, high, s.Value)
	}
	return x
}

// list reads a list of words.
func (d *decoder) list(f field) []field {
	seq, ok := f.value.(*ast.SequenceNode)
	if !ok {
		d.fail(first(f.value), "expected a list for %s, not %s", f.name, kindOf(f.value))
		return nil
	}
	var out []field
	for _, v := range seq.Values {
		out = append(out, field{f.name, v.GetToken(), v})
	}
	return out
}

// plain turns a node into strings, numbers, booleans, lists and mappings.
func (d *decoder) plain(node ast.Node) any {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.IntegerNode:
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.SequenceNode:
		out := []any{}
		for _, v := range n.Values {
			out = append(out, d.plain(v))
		}
		return out
	case ast.MapNode:
		out := map[string]any{}
		for _, f := range d.entries(node, "") {
			out[f.name] = d.plain(f.value)
		}
		return out
	}
	d.fail(node.GetToken(), "expected a word, a number, a list or a mapping, not %s", kindOf(node))
	return nil
}
