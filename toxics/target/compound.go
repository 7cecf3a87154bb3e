package target

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The words between the parts of compound targets.
const (
	andWord = " and "
	butWord = ", not "
	notWord = "not "
)

// Parse reads a selector: one form, or several of one class, compounded: "broker 1 and broker 2",
// "follower of output/0, not controller", "not broker 3".
func Parse(s string) (Target, error) {
	base, rest, _ := strings.Cut(s, butWord)
	var excluded []string
	if rest != "" {
		excluded = strings.Split(rest, butWord)
	}
	if not, ok := strings.CutPrefix(base, notWord); ok {
		base, excluded = "", append([]string{not}, excluded...)
	}
	if len(excluded) == 0 && !strings.Contains(base, andWord) {
		return parseAtom(base)
	}
	t := Target{text: s, words: map[string]string{}}
	var err error
	if t.but, err = parseAtoms(excluded); err != nil {
		return Target{}, err
	}
	if base == "" {
		base, err = allOf(t.but[0])
	}
	if err != nil {
		return Target{}, err
	}
	if t.union, err = parseAtoms(strings.Split(base, andWord)); err != nil {
		return Target{}, err
	}
	t.form = &form{syntax: "compound", class: t.union[0].Class(), random: t.union[0].form.random}
	return t, t.coherent()
}

func parseAtoms(texts []string) ([]Target, error) {
	var atoms []Target
	for _, text := range texts {
		atom, err := parseAtom(text)
		if err != nil {
			return nil, err
		}
		atoms = append(atoms, atom)
	}
	return atoms, nil
}

// allOf is the target that selects everything of a target's class: "not broker 3" means all brokers but that one.
func allOf(t Target) (string, error) {
	switch t.Class() {
	case Brokers:
		return allBrokersSyntax, nil
	case Workers:
		return allWorkersSyntax, nil
	}
	return "", fmt.Errorf("%q: not everything but a choice of %s: say which, as in \"topic output, not partition output/0\"", t, t.Class())
}

// coherent returns an error if the parts of a compound can't go together.
func (t Target) coherent() error {
	for _, part := range slices.Concat(t.union, t.but) {
		if part.Class() != t.Class() {
			return fmt.Errorf("%q: %q selects %s, and %q selects %s", t, t.union[0], t.Class(), part, part.Class())
		}
		if part.form.random && len(t.union)+len(t.but) > 1 && (len(t.union) > 1 || part.text != t.union[0].text) {
			return fmt.Errorf("%q: a random choice can only be alone, or before \"%s\"", t, strings.TrimSpace(butWord))
		}
	}
	return nil
}

func (t Target) random() bool { return t.form.random }

// errNone is the error of a target that selects nothing now.
var errNone = errors.New("there is none now")

// combine resolves a target's parts and puts them together. What a compound selects is sorted; to select nothing is an error.
func combine[T cmp.Ordered](t Target, find func(Target) ([]T, error)) ([]T, error) {
	if t.union == nil {
		found, err := find(t)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%q: %w", t, errNone)
		}
		return found, err
	}
	var found []T
	for _, part := range t.union {
		some, err := find(part)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	for _, part := range t.but {
		some, err := find(part)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(x T) bool { return slices.Contains(some, x) })
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%q: %w", t, errNone)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
