package toxics

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness/options"
)

// OptionInfo says what one option of a fault is, for people.
type OptionInfo struct{ Name, About string }

// OptionError says what is wrong with one option of a fault.
type OptionError = options.Error

// reader reads a fault's options: beside the usual ones, targets, settings, and what differs by pipeline.
type reader struct {
	*options.Reader
	kind Kind
}

// target reads another target, of the given class; "" when the option isn't given.
func (r *reader) target(option string, class Class) string {
	s := r.Text(option, "")
	if s == "" {
		return ""
	}
	t, err := ParseTarget(s)
	switch {
	case err != nil:
		r.Fail(option, "%v", err)
	case !class.has(t.Class()):
		r.Fail(option, "expected %s; %q selects %s", class, s, t.Class())
	}
	return s
}

// settings reads a mapping from name to value; the values may be written as numbers, booleans or words.
func (r *reader) settings(option string) map[string]string {
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

// someOf reads a list of choices, or a single one, in the choices' order; def when the option isn't given.
func (r *reader) someOf(option string, def []string, choices ...string) []string {
	value, given := r.Value(option)
	if !given {
		return def
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
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

// everyPipeline is the key of a value that holds for every pipeline that has none of its own.
const everyPipeline = ""

// perPipeline reads one string for all pipelines, or a mapping from pipeline to string.
func (r *reader) perPipeline(option string) map[string]string {
	out := map[string]string{}
	value, _ := r.Value(option)
	switch v := value.(type) {
	case nil:
	case string:
		out[everyPipeline] = v
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

// checkOther checks an option that names another target.
func checkOther(option, text string, s Scope) error {
	if text == "" {
		return nil
	}
	t, err := ParseTarget(text)
	if err == nil {
		err = t.check(s)
	}
	var wrong *OptionError
	if err != nil && !errors.As(err, &wrong) {
		return &OptionError{Option: option, Reason: err.Error()}
	}
	return err
}
