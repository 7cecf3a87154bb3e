package catalogue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/goccy/go-yaml/token"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics"
)

// shortest is the shortest time that a fault may last.
const shortest = 100 * time.Millisecond

// entry is one line of a schedule, before anything was drawn.
type entry struct {
	at, lasts span
	name      string
	target    setting
	options   map[string]setting
	start     *token.Token
	tokens    map[string]field // of every field, for errors
}

// schedule reads the faults and checks each, and all of them together.
func (d *decoder) schedule(f field, doc *document) {
	scope, err := scopeOf(doc.exp.Pipelines, doc.exp)
	if err != nil {
		d.fail(f.key, "%v", err)
	}
	for _, item := range d.list(f) {
		e := d.entry(item)
		if d.err == nil {
			d.checkEntry(e, doc.exp, scope)
		}
		if d.err != nil {
			return
		}
		doc.faults = append(doc.faults, e)
	}
	if !doc.allowQuorumLoss {
		d.checkQuorum(doc)
	}
}

// entry reads one fault: at, for, fault and target; every other field is an option of the fault.
func (d *decoder) entry(item field) entry {
	e := entry{options: map[string]setting{}, tokens: map[string]field{}, start: first(item.value)}
	for _, f := range d.entries(item.value, "with a fault") {
		e.tokens[f.name] = f
	}
	d.require(item.value, e.tokens, "at", "for", "fault", "target")
	if d.err != nil {
		return e
	}
	for _, name := range slices.Sorted(maps.Keys(e.tokens)) {
		switch f := e.tokens[name]; name {
		case "at":
			e.at = d.span(f, 0, 24*time.Hour)
		case "for":
			e.lasts = d.span(f, shortest, 24*time.Hour)
		case "fault":
			e.name = d.text(f)
		case "target":
			e.target = d.setting(f)
		default:
			e.options[name] = d.setting(f)
		}
	}
	return e
}

// checkEntry checks everything that a fault may turn out to be.
func (d *decoder) checkEntry(e entry, exp harness.Experiment, scope toxics.Scope) {
	if _, err := toxics.Find(e.name); err != nil {
		d.fail(first(e.tokens["fault"].value), "unknown fault %q (%s)", e.name, suggest(e.name, toxics.Names()))
		return
	}
	if end := e.at.high + e.lasts.high; end > exp.Load.Duration {
		d.fail(first(e.tokens["for"].value), "the fault may end at %s, after the load (%s)", end, exp.Load.Duration)
	}
	for _, target := range e.target.variants() {
		text, ok := target.(string)
		if !ok {
			d.fail(first(e.tokens["target"].value), "expected words for target, not %v", target)
			return
		}
		d.checkOptions(e, text, scope)
	}
}

// checkOptions makes the fault with every variant of each option, the others at their low ends.
func (d *decoder) checkOptions(e entry, target string, scope toxics.Scope) {
	plain := map[string]any{}
	for name, s := range e.options {
		plain[name] = s.variants()[0]
	}
	d.makeFault(e, target, plain, scope)
	for _, name := range slices.Sorted(maps.Keys(e.options)) {
		for _, variant := range e.options[name].variants()[1:] {
			options := maps.Clone(plain)
			options[name] = variant
			d.makeFault(e, target, options, scope)
		}
	}
}

func (d *decoder) makeFault(e entry, target string, options map[string]any, scope toxics.Scope) {
	fault, err := toxics.New(e.name, options)
	if err == nil {
		err = toxics.Check(e.name, fault, target, scope)
	}
	var option *toxics.OptionError
	switch {
	case err == nil:
	case errors.As(err, &option) && option.Unknown:
		d.fail(e.tokens[option.Option].key, "unknown option %q: a fault has at, for, fault and target; %s", option.Option, option.Reason)
	case errors.As(err, &option):
		d.fail(first(e.tokens[option.Option].value), "%v", err)
	default:
		d.fail(first(e.tokens["target"].value), "%v", err)
	}
}

// scopeOf says what an experiment has, for checks of faults.
func scopeOf(names []string, exp harness.Experiment) (toxics.Scope, error) {
	scope := toxics.Scope{Brokers: len(exp.Cluster.Topology.BrokerIDs()), Partitions: exp.Cluster.Partitions, Workers: exp.Workers}
	for _, info := range pipelines() {
		if slices.Contains(names, info.Name) {
			scope.Pipelines = append(scope.Pipelines, info)
		}
	}
	if len(scope.Pipelines) == 0 {
		return scope, errors.New("no pipeline to run faults against")
	}
	return scope, nil
}

func checkFault(f harness.ScheduledFault, scope toxics.Scope) error {
	return toxics.Check(f.Name, f.Fault, f.Target, scope)
}

// draw makes the schedule concrete.
func (doc *document) draw(d drawer) ([]harness.ScheduledFault, error) {
	var out []harness.ScheduledFault
	for i, e := range doc.faults {
		path := fmt.Sprintf("%s.faults[%d].", doc.exp.Name, i)
		options := map[string]any{}
		for name, s := range e.options {
			options[name] = s.draw(d, path+name)
		}
		fault, err := toxics.New(e.name, options)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", doc.exp.Name, e.name, err)
		}
		target, ok := e.target.draw(d, path+"target").(string)
		if !ok {
			return nil, fmt.Errorf("%s: %s: the target is not words", doc.exp.Name, e.name)
		}
		out = append(out, harness.ScheduledFault{
			At: e.at.draw(d, path+"at"), For: e.lasts.draw(d, path+"for"), Name: e.name, Target: target, Fault: fault,
		})
	}
	return out, nil
}
