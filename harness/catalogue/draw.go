package catalogue

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// drawer decides ranges and choices. Path is where they are in the file ("latency.faults[0].at").
type drawer interface {
	// below returns a number from 0 to n-1.
	below(path string, n int64) int64
}

// lowest takes the low end of every range and the first of every choice.
type lowest struct{}

func (lowest) below(string, int64) int64 { return 0 }

// highest takes the high ends and the last.
type highest struct{}

func (highest) below(_ string, n int64) int64 { return n - 1 }

// seeded draws from a generator of its own for each path, so that one more draw in a file leaves the others as they were.
type seeded uint64

func (s seeded) below(path string, n int64) int64 {
	place := fnv.New64a()
	_, _ = place.Write([]byte(path)) // documented never to fail
	return rand.New(rand.NewPCG(uint64(s), place.Sum64())).Int64N(n)
}

// span is a range of durations; low equals high if the file gives a single one.
type span struct{ low, high time.Duration }

// draw returns a duration of the span, both ends included: in steps that people can read.
func (s span) draw(d drawer, path string) time.Duration {
	step := time.Millisecond
	if s.high-s.low >= time.Second {
		step = 10 * time.Millisecond
	}
	return s.low + time.Duration(d.below(path, int64((s.high-s.low)/step)+1))*step
}

// numbers is a range of whole numbers, both ends included.
type numbers struct{ low, high int64 }

// setting is the value of a fault's target or option: a plain value, a span, a range of numbers, or a choice.
type setting struct {
	plain   any
	span    *span
	numbers *numbers
	choice  []any
}

func (s setting) draw(d drawer, path string) any {
	switch {
	case s.span != nil:
		return s.span.draw(d, path).String()
	case s.numbers != nil:
		return s.numbers.low + d.below(path, s.numbers.high-s.numbers.low+1)
	case len(s.choice) > 0:
		return s.choice[d.below(path, int64(len(s.choice)))]
	}
	return s.plain
}

// variants lists every value to be checked: all choices, or both ends of a range.
func (s setting) variants() []any {
	switch {
	case s.span != nil:
		return []any{s.span.low.String(), s.span.high.String()}
	case s.numbers != nil:
		return []any{s.numbers.low, s.numbers.high}
	case len(s.choice) > 0:
		return s.choice
	}
	return []any{s.plain}
}

// Concrete draws an experiment's ranges and choices from the seed: the same seed gives the same schedule. Faults that no
// longer fit, because a flag shortened the load or added a pipeline, are a harness.UsageError.
func Concrete(exp harness.Experiment, seed uint64) (harness.Experiment, error) {
	doc, err := read(exp.Name+".yaml", []byte(exp.Source), pipelines())
	if err != nil {
		return harness.Experiment{}, err
	}
	if exp.Faults, err = doc.draw(seeded(seed), exp); err != nil {
		return harness.Experiment{}, harness.UsageError{Reason: err.Error()}
	}
	return exp, recheck(exp, doc)
}

// recheck checks a concrete schedule again: flags may have changed the experiment around it.
func recheck(exp harness.Experiment, doc *document) error {
	if doc.exp.Cluster = exp.Cluster; !doc.allowQuorumLoss {
		d := &decoder{file: exp.Name + ".yaml"}
		if d.checkQuorum(doc); d.err != nil {
			return d.err
		}
	}
	for _, f := range exp.Faults {
		if end := f.Ends(); end > exp.Load.Duration {
			return harness.UsageError{Reason: fmt.Sprintf("%s: the %s fault ends at %s, after the load (%s)",
				exp.Name, f.Name, end, exp.Load.Duration)}
		}
		if len(f.AimsAt) > 0 && !slices.ContainsFunc(f.AimsAt, func(p string) bool { return slices.Contains(exp.Pipelines, p) }) {
			return harness.UsageError{Reason: fmt.Sprintf("%s: the %s fault aims at %s, which is not run",
				exp.Name, f.Name, strings.Join(f.AimsAt, " and "))}
		}
		scope, err := scopeOf(append(append([]string{}, doc.exp.Pipelines...), exp.Pipelines...), exp)
		if err == nil {
			err = checkFault(f, scope)
		}
		if err != nil {
			return harness.UsageError{Reason: fmt.Sprintf("%s: %s: %v", exp.Name, f.Name, err)}
		}
	}
	return nil
}
