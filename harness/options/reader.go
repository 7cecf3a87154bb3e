package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Error is what is wrong with one option.
type Error struct {
	// Option is the option's name.
	Option string
	// Unknown means that there is no such option: its name is wrong, not its value.
	Unknown bool
	Reason  string
}

func (e *Error) Error() string { return e.Option + ": " + e.Reason }

// Reader reads options as YAML gives them: strings, numbers, booleans, lists and mappings. It keeps the first thing that
// is wrong; after that it returns defaults.
type Reader struct {
	name   string
	known  []string
	values map[string]any
	err    error
}

// NewReader makes a reader of the options given for a fault or trigger of the given name, which takes the known ones.
func NewReader(name string, known []string, values map[string]any) *Reader {
	return &Reader{name: name, known: known, values: values}
}

// Name is the name of the fault or trigger whose options are read.
func (r *Reader) Name() string { return r.name }

// Value returns an option as it was given, and whether it was.
func (r *Reader) Value(option string) (any, bool) {
	value, given := r.values[option]
	return value, given
}

// Fail notes what is wrong with an option.
func (r *Reader) Fail(option, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Option: option, Reason: fmt.Sprintf(format, args...)}
	}
}

// Finish returns the first thing that is wrong, which may be an option that isn't known.
func (r *Reader) Finish() error {
	takes := strings.Join(r.known, ", ")
	if len(r.known) == 0 {
		takes = "no options"
	}
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if !slices.Contains(r.known, name) {
			return &Error{Option: name, Unknown: true, Reason: fmt.Sprintf("%s takes %s", r.name, takes)}
		}
	}
	return r.err
}

// Duration reads a duration between low and high.
func (r *Reader) Duration(option string, def, low, high time.Duration) time.Duration {
	value, given := r.values[option]
	if !given {
		return def
	}
	s, ok := value.(string)
	if !ok {
		r.Fail(option, "expected a duration like 200ms, not %v", value)
		return def
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < low || d > high {
		r.Fail(option, "expected a duration from %s to %s, not %q", low, high, s)
		return def
	}
	return d
}

// Number reads a whole number between low and high.
func (r *Reader) Number(option string, def, low, high int) int {
	value, given := r.values[option]
	if !given {
		return def
	}
	n, ok := asInt(value)
	if !ok || n < low || n > high {
		r.Fail(option, "expected a whole number from %d to %d, not %v", low, high, value)
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

// Text reads a string.
func (r *Reader) Text(option, def string) string {
	value, given := r.values[option]
	if !given {
		return def
	}
	s, ok := value.(string)
	if !ok {
		r.Fail(option, "expected words, not %v", value)
	}
	return s
}

// OneOf reads one of the choices, the first of which is the default.
func (r *Reader) OneOf(option string, choices ...string) string {
	s := r.Text(option, choices[0])
	if !slices.Contains(choices, s) {
		r.Fail(option, "expected one of %s, not %q", strings.Join(choices, ", "), s)
		return choices[0]
	}
	return s
}
