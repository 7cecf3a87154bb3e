package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/chaeos/chaeos/harness/nearest"
)

// Limit is what an experiment expects of one figure of a row: "no progress <= 20s".
type Limit struct {
	// Text is the limit as it was written.
	Text string `json:"text"`
	// Number is the figure's key, AtLeast tells >= from <=.
	Number  string `json:"number"`
	AtLeast bool   `json:"atLeast,omitempty"`
	// Most is the bound itself: a count, or nanoseconds.
	Most     uint64      `json:"bound"`
	Expected Expectation `json:"expected"`
}

var limitForm = regexp.MustCompile(`^\s*(.+?)\s*(<=|>=)\s*(\S+)\s*$`)

// IsLimit reports whether a text is meant as a limit.
func IsLimit(text string) bool { return strings.ContainsAny(text, "<>=") }

// ParseLimit reads a limit: a figure by the name that tables or JSON give it, <= or >=, and a count or a duration.
func ParseLimit(text string) (Limit, error) {
	m := limitForm.FindStringSubmatch(text)
	if m == nil {
		return Limit{}, fmt.Errorf("%q is no limit: write a figure, <= or >=, and a count or a duration (no progress <= 20s)", text)
	}
	number, err := figureNamed(m[1])
	if err != nil {
		return Limit{}, err
	}
	l := Limit{Text: fmt.Sprintf("%s %s %s", inWords(number.Key), m[2], m[3]), Number: number.Key, AtLeast: m[2] == ">="}
	if number.Kind == Duration {
		d, err := time.ParseDuration(m[3])
		if err != nil || d < 0 {
			return Limit{}, fmt.Errorf("%s is a time: %q is no duration (20s, 1m30s, 500ms)", m[1], m[3])
		}
		l.Most = uint64(d)
		return l, nil
	}
	if l.Most, err = strconv.ParseUint(m[3], 10, 63); err != nil {
		return Limit{}, fmt.Errorf("%s is a count: %q is no number of 0 or more", m[1], m[3])
	}
	return l, nil
}

// figureNamed finds the declared number of a name: its header in tables, its key, or its key in words.
func figureNamed(name string) (Number, error) {
	var names []string
	for _, n := range DeclaredNumbers() {
		if n.Kind != Count && n.Kind != Duration {
			continue
		}
		of := []string{strings.ToLower(n.Header), inWords(n.Key), strings.ToLower(n.Key)}
		if slices.Contains(of, strings.ToLower(strings.Join(strings.Fields(name), " "))) {
			return n, nil
		}
		names = append(names, inWords(n.Key))
	}
	if near := nearest.Names(name, names); len(near) > 0 {
		return Number{}, fmt.Errorf("there is no figure %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return Number{}, fmt.Errorf("there is no figure %q (docs/NUMBERS.md lists them)", name)
}

// inWords is a key as words: noProgress is no progress.
func inWords(key string) string {
	var b strings.Builder
	for i, r := range key {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// LimitVerdict is what came of one limit.
type LimitVerdict struct {
	Limit string `json:"limit"`
	// Number is the figure's key; its value is among the row's numbers.
	Number  string  `json:"number"`
	Verdict Verdict `json:"verdict"`
	// Expected is what the experiment expects; Surprise reports whether it came out otherwise.
	Expected Expectation `json:"expected"`
	Surprise bool        `json:"surprise,omitempty"`
	// Reason says why it is inconclusive.
	Reason string `json:"reason,omitempty"`
}
