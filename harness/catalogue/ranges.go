package catalogue

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// spans matches "2s..4s".
var spans = regexp.MustCompile(`^(\S+)\.\.(\S+)$`)

// span reads a duration or a range of durations.
func (d *decoder) span(f field, low, high time.Duration) span {
	s, ok := f.value.(*ast.StringNode)
	ends := []string(nil)
	if ok {
		ends = spans.FindStringSubmatch(s.Value)
	}
	if ends == nil {
		x := d.duration(f, low, high)
		return span{x, x}
	}
	out, err := parseSpan(ends)
	switch {
	case err != nil:
		d.fail(s.GetToken(), "expected a duration like 10s or a range like 2s..4s for %s, not %q", f.name, s.Value)
	case out.low < low || out.high > high || out.high < out.low:
		d.fail(s.GetToken(), "%s must be a range within %s to %s, low end first, not %s", f.name, low, high, s.Value)
	}
	return out
}

func parseSpan(ends []string) (span, error) {
	low, errLow := time.ParseDuration(ends[1])
	high, errHigh := time.ParseDuration(ends[2])
	return span{low, high}, errors.Join(errLow, errHigh)
}

// numbers reads a whole number or a range of them.
func (d *decoder) numbers(f field, low, high int64) numbers {
	if s, ok := f.value.(*ast.StringNode); ok {
		found, ok := d.ranged(f, s)
		if n := found.numbers; ok && n != nil && n.low >= low && n.high <= high {
			return *n
		}
		d.fail(s.GetToken(), "expected a whole number or a range like 2..4 for %s, from %d to %d, not %q", f.name, low, high, s.Value)
		return numbers{low, low}
	}
	n := int64(d.integer(f, int(low), int(high)))
	return numbers{n, n}
}

// anyOf is the key of a choice: {any-of: [a, b]}.
const anyOf = "any-of"

// setting reads a value that may be a range or a choice.
func (d *decoder) setting(f field) setting {
	if s, ok := f.value.(*ast.StringNode); ok {
		if found, ok := d.ranged(f, s); ok {
			return found
		}
	}
	value := d.plain(f.value)
	m, ok := value.(map[string]any)
	if _, chosen := m[anyOf]; !ok || !chosen {
		return setting{plain: value}
	}
	choice, ok := m[anyOf].([]any)
	if !ok || len(choice) == 0 || len(m) > 1 {
		d.fail(first(f.value), "expected a choice like {%s: [a, b]} for %s, not %v", anyOf, f.name, slices.Sorted(maps.Keys(m)))
	}
	return setting{choice: choice}
}

// ranged reads a range of numbers or durations; words that are neither are no range.
func (d *decoder) ranged(f field, s *ast.StringNode) (setting, bool) {
	ends := spans.FindStringSubmatch(s.Value)
	if ends == nil {
		return setting{}, false
	}
	low, errLow := strconv.ParseInt(ends[1], 10, 32)
	high, errHigh := strconv.ParseInt(ends[2], 10, 32)
	whole := errLow == nil && errHigh == nil
	found, err := parseSpan(ends)
	switch {
	case !whole && err != nil:
		return setting{}, false
	case whole && high < low || !whole && found.high < found.low:
		d.fail(s.GetToken(), "%s must be a range with its low end first, not %s", f.name, s.Value)
	case whole:
		return setting{numbers: &numbers{low, high}}, true
	}
	return setting{span: &found}, true
}
