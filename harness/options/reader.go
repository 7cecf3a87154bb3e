package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Error says what is wrong with one option.
type Error struct {
	// Option is the option's name.
	Option string
	// Unknown says that there is no such option: the name is wrong, not its value.
	Unknown bool
	Reason  string
}

func (e *Error) Error() string { return e.Option + ": " + e.Reason }

// Reader reads options as YAML gives them: strings, numbers, booleans, lists and mappings. It keeps the first thing that
// is wrong; after that it returns defaults.
type Reader struct {
	values map[string]any
	err    error
}

// NewReader makes a reader of the given options, by name.
func NewReader(values map[string]any) *Reader { return &Reader{values: values} }

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

// Finish returns the first thing that is wrong, an option that isn't known among them; who says what takes them.
func (r *Reader) Finish(who string, known []string) error {
	takes := strings.Join(known, ", ")
	if len(known) == 0 {
		takes = "no options"
	}
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if !slices.Contains(known, name) {
			return &Error{Option: name, Unknown: true, Reason: fmt.Sprintf("%s takes %s", who, takes)}
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
