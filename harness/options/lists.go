package options

import (
	"fmt"
	"slices"
	"strings"
)

// Word reads a word; "" where it isn't given.
func (r *Reader) Word(option string) string {
	s := r.Text(option, "")
	if _, given := r.Value(option); given && s == "" {
		r.Fail(option, "expected a word")
	}
	return s
}

// Words reads a word or a list of them.
func (r *Reader) Words(option string) []string {
	items, given := r.list(option)
	if !given {
		return nil
	}
	var out []string
	for _, item := range items {
		s, ok := item.(string)
		if !ok || s == "" {
			r.Fail(option, "expected a word or a list of them, not %v", item)
			return nil
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		r.Fail(option, "expected at least one")
	}
	return out
}

// SomeOf reads a list of choices, or a single one, in the choices' order; def when the option isn't given.
func (r *Reader) SomeOf(option string, def []string, choices ...string) []string {
	items, given := r.list(option)
	if !given {
		return def
	}
	if len(items) == 0 {
		r.Fail(option, "expected at least one of %s", strings.Join(choices, ", "))
	}
	for _, item := range items {
		s, ok := item.(string)
		if !ok || !slices.Contains(choices, s) {
			r.Fail(option, "expected a list of %s, not %v", strings.Join(choices, ", "), item)
			return def
		}
	}
	return slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return !slices.Contains(items, any(c)) })
}

// list returns an option's values; one that is no list is its only one.
func (r *Reader) list(option string) (items []any, given bool) {
	value, given := r.Value(option)
	if !given {
		return nil, false
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	return items, true
}

// Settings reads a mapping from name to value; the values may be written as numbers, booleans or words.
func (r *Reader) Settings(option string) map[string]string {
	value, given := r.Value(option)
	if !given {
		return nil
	}
	mapping, ok := value.(map[string]any)
	if !ok || len(mapping) == 0 {
		r.Fail(option, "expected a mapping from name to value, not %v", value)
		return nil
	}
	out := map[string]string{}
	for name, v := range mapping {
		switch v.(type) {
		case string, bool, int, int64, uint64, float64:
			out[name] = fmt.Sprint(v)
		default:
			r.Fail(option, "expected a value for %s, not %v", name, v)
		}
	}
	return out
}

// Everyone is the key, in what PerPipeline reads, of the word for every pipeline that has none of its own.
const Everyone = ""

// PerPipeline reads one word for all pipelines, or a mapping from pipeline to word.
func (r *Reader) PerPipeline(option string) map[string]string {
	out := map[string]string{}
	value, _ := r.Value(option)
	switch v := value.(type) {
	case nil:
	case string:
		out[Everyone] = v
	case map[string]any:
		for pipeline, value := range v {
			s, ok := value.(string)
			if !ok {
				r.Fail(option, "expected a word for %s, not %v", pipeline, value)
			}
			out[pipeline] = s
		}
	default:
		r.Fail(option, "expected a word, or a mapping from pipeline to word, not %v", v)
	}
	return out
}
