package triggers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// workerOptions are the settings of triggers on a worker.
var workerOptions = []options.Info{
	{Name: "nth", About: "how many times the phase must be reached, counted from when the trigger was armed; default 1"},
	{Name: "of", About: "the pipeline; default: one worker of every pipeline that has the phase"},
	{Name: "partition", About: "the worker that owns this input partition is the one; default 0"},
}

var phaseKind = Kind{
	Name:    "phase",
	About:   "a worker reached that phase of its loop; it waits there until the fault is injected",
	Value:   "the phase: polled, processed, flushed, committing, offsets-sent, committed, or another that the pipeline has",
	Sign:    "PHASE",
	Options: workerOptions,
	make: func(r *options.Reader) trigger {
		p := readWorker(r)
		p.phase = r.Word("phase")
		p.text = "phase " + p.phase
		return p
	},
}

// phase makes one worker of each of its pipelines wait at a phase of its loop, and fires once all of them wait.
type phase struct {
	// phase is where each worker waits, unless byPipeline has another phase for its pipeline.
	phase      string
	byPipeline map[string]string
	// option is the setting that the phase comes from, for errors.
	option    string
	nth       uint64
	of        []string
	partition int32
	text      string
	// seen, if set, returns more about a worker that waits, and an error if it must not count.
	seen func(ctx context.Context, f *harness.Field, m harness.Member) (string, error)
}

var _ harness.Trigger = phase{}

func readWorker(r *options.Reader) phase {
	p := phase{option: r.Name(), nth: count(r, "nth", 1, 1), partition: int32(count(r, "partition", 0, 0))}
	if of := r.Word("of"); of != "" {
		p.of = []string{of}
	}
	return p
}

func (p phase) String() string {
	nth := ""
	if p.nth > 1 {
		nth = fmt.Sprintf(" (time %d)", p.nth)
	}
	return fmt.Sprintf("%s%s of %s, at the owner of input/%d", p.text, nth, strings.Join(p.of, " and "), p.partition)
}

// validate finds the pipelines that have the phase.
func (p phase) validate(s harness.Scope) (harness.Trigger, error) {
	if p.partition >= int32(s.Partitions) {
		return nil, wrong("partition", "partitions go from 0 to %d", s.Partitions-1)
	}
	return p.validateWhere(s, func(info harness.PipelineInfo) string {
		if slices.Contains(info.Phases, p.phase) {
			return p.phase
		}
		return ""
	})
}

// validateWhere keeps the pipelines for which at returns a phase.
func (p phase) validateWhere(s harness.Scope, at func(harness.PipelineInfo) string) (harness.Trigger, error) {
	candidates := p.of
	if len(candidates) == 0 {
		for _, info := range s.Pipelines {
			candidates = append(candidates, info.Name)
		}
	}
	named := p.of
	p.of, p.byPipeline = nil, map[string]string{}
	for _, name := range candidates {
		info, err := pipelineOf(s, name)
		if err != nil {
			return nil, err
		}
		where := at(info)
		switch {
		case where != "":
			p.of = append(p.of, name)
			p.byPipeline[name] = where
		case len(named) > 0:
			return nil, wrong(p.option, "pipeline %s has no %s (its phases: %s)", name, p.text, orNone(info.Phases))
		}
	}
	if len(p.of) == 0 {
		return nil, wrong(p.option, "no pipeline of the experiment has a %s", p.text)
	}
	slices.Sort(p.of)
	return p, nil
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

func (p phase) Holds() []string { return p.of }

// SameWorkers reports whether two triggers make the same workers wait, or have no worker in common.
func SameWorkers(a, b harness.Trigger) bool {
	x, isPhase := a.(phase)
	y, isPhaseToo := b.(phase)
	if !isPhase || !isPhaseToo {
		return true
	}
	apart := !slices.ContainsFunc(x.of, func(name string) bool { return slices.Contains(y.of, name) })
	return apart || slices.Equal(x.of, y.of) && x.partition == y.partition
}
