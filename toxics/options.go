package toxics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// OptionError says what is wrong with one option of a fault.
type OptionError struct {
	// Option is the option's name.
	Option string
	// Unknown says that the fault takes no such option: the name is wrong, not its value.
	Unknown bool
	Reason  string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

// reader reads a fault's options. It keeps the first thing that is wrong; after that it returns defaults.
type reader struct {
	kind    Kind
	options map[string]any
	err     error
}

func (r *reader) fail(option, format string, args ...any) {
	if r.err == nil {
		r.err = &OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
	}
}

// finish returns the first error, an option that the fault doesn't take among them.
func (r *reader) finish() error {
	for _, name := range slices.Sorted(maps.Keys(r.options)) {
		known := slices.ContainsFunc(r.kind.Options, func(o OptionInfo) bool { return o.Name == name })
		if !known {
			return &OptionError{Option: name, Unknown: true, Reason: fmt.Sprintf("%s takes %s", r.kind.Name, r.kind.takes())}
		}
	}
	return r.err
}

func (k Kind) takes() string {
	var names []string
	for _, o := range k.Options {
		names = append(names, o.Name)
	}
	if len(names) == 0 {
		return "no options"
	}
	return strings.Join(names, ", ")
}

// duration reads a duration between low and high.
func (r *reader) duration(option string, def, low, high time.Duration) time.Duration {
	value, given := r.options[option]
	if !given {
		return def
	}
	s, ok := value.(string)
	if !ok {
		r.fail(option, "expected a duration like 200ms, not %v", value)
		return def
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < low || d > high {
		r.fail(option, "expected a duration from %s to %s, not %q", low, high, s)
		return def
	}
	return d
}

// number reads a whole number between low and high.
func (r *reader) number(option string, def, low, high int) int {
	value, given := r.options[option]
	if !given {
		return def
	}
	n, ok := asInt(value)
	if !ok || n < low || n > high {
		r.fail(option, "expected a whole number from %d to %d, not %v", low, high, value)
		return def
	}
	return n
}

func asInt(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case uint64:
		return int(min(n, 1<<31)), true
	}
	return 0, false
}

// text reads a string.
func (r *reader) text(option, def string) string {
	value, given := r.options[option]
	if !given {
		return def
	}
	s, ok := value.(string)
	if !ok {
		r.fail(option, "expected words, not %v", value)
	}
	return s
}

// target reads another target, of the given class; "" when the option isn't given.
func (r *reader) target(option string, class Class) string {
	s := r.text(option, "")
	if s == "" {
		return ""
	}
	t, err := ParseTarget(s)
	switch {
	case err != nil:
		r.fail(option, "%v", err)
	case !class.has(t.Class()):
		r.fail(option, "expected %s; %q selects %s", class, s, t.Class())
	}
	return s
}

// settings reads a mapping from name to value; the values may be written as numbers, booleans or words.
func (r *reader) settings(option string) map[string]string {
	value, given := r.options[option]
	if !given {
		return nil
	}
	mapping, ok := value.(map[string]any)
	if !ok || len(mapping) == 0 {
		r.fail(option, "expected a mapping from name to value, not %v", value)
		return nil
	}
	out := map[string]string{}
	for name, v := range mapping {
		switch v.(type) {
		case string, bool, int, int64, uint64, float64:
			out[name] = fmt.Sprint(v)
		default:
			r.fail(option, "expected a value for %s, not %v", name, v)
		}
	}
	return out
}

// oneOf reads one of the choices, the first of which is the default.
func (r *reader) oneOf(option string, choices ...string) string {
	s := r.text(option, choices[0])
	if !slices.Contains(choices, s) {
		r.fail(option, "expected one of %s, not %q", strings.Join(choices, ", "), s)
		return choices[0]
	}
	return s
}

// someOf reads a list of choices, or a single one, in the choices' order; def when the option isn't given.
func (r *reader) someOf(option string, def []string, choices ...string) []string {
	value, given := r.options[option]
	if !given {
		return def
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	if len(items) == 0 {
		r.fail(option, "expected at least one of %s", strings.Join(choices, ", "))
	}
	for _, item := range items {
		s, ok := item.(string)
		if !ok || !slices.Contains(choices, s) {
			r.fail(option, "expected a list of %s, not %v", strings.Join(choices, ", "), item)
			return def
		}
	}
	return slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return !slices.Contains(items, any(c)) })
}

// everyPipeline is the key of a value that holds for every pipeline that has none of its own.
const everyPipeline = ""

// perPipeline reads one string for all pipelines, or a mapping from pipeline to string.
func (r *reader) perPipeline(option string) map[string]string {
	out := map[string]string{}
	switch v := r.options[option].(type) {
	case nil:
	case string:
		out[everyPipeline] = v
	case map[string]any:
		for pipeline, value := range v {
			s, ok := value.(string)
			if !ok {
				r.fail(option, "expected a word for %s, not %v", pipeline, value)
			}
			out[pipeline] = s
		}
	default:
		r.fail(option, "expected a word, or a mapping from pipeline to word, not %v", v)
	}
	return out
}
