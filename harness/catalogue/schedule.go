package catalogue

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/token"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics"
)

// shortest and longest bound how long a fault may last.
const (
	shortest = 100 * time.Millisecond
	longest  = 24 * time.Hour
)

// reserved are the fields of a schedule's line that are no options of its fault.
var reserved = []string{
	"aims-at", "at", "count", "every", "fault", "for", "heal-when", "name", "target", "until", "when",
}

// entry is one line of a schedule, before anything was drawn.
type entry struct {
	at, lasts span
	repeat    repeat
	// label is its name for triggers of later lines.
	label          string
	when, healWhen *condition
	aimsAt         []string
	name           string
	target         setting
	options        map[string]setting
	start          *token.Token
	tokens         map[string]field // of every field, for errors
}

// ends is the latest time at which the line's last fault can be healed.
func (e entry) ends() time.Duration {
	end := e.repeat.last(e.at.high) + e.lasts.high
	if e.when != nil {
		end += e.when.within + e.when.delay.high
	}
	return end
}

// schedule reads the faults and checks each, and all of them together.
func (d *decoder) schedule(f field, doc *document) {
	scope, err := scopeOf(doc.exp.Pipelines, doc.exp)
	if err != nil {
		d.fail(f.key, "%v", err)
	}
	for _, item := range d.list(f) {
		e := d.entry(item, doc)
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

// entry reads one line: when, what, and on which target. Every field that is not reserved is an option of the fault.
func (d *decoder) entry(item field, doc *document) entry {
	e := entry{options: map[string]setting{}, tokens: map[string]field{}, start: first(item.value)}
	for _, f := range d.entries(item.value, "with a fault") {
		e.tokens[f.name] = f
	}
	needed := []string{"at", "for", "fault", "target"}
	if _, triggered := e.tokens["when"]; triggered {
		needed = needed[1:]
	}
	d.require(item.value, e.tokens, needed...)
	if d.err != nil {
		return e
	}
	for _, name := range slices.Sorted(maps.Keys(e.tokens)) {
		switch f := e.tokens[name]; name {
		case "at":
			e.at = d.span(f, 0, 24*time.Hour)
		case "for":
			e.lasts = d.span(f, shortest, longest)
		case "name":
			e.label = d.label(f, doc)
		case "aims-at":
			e.aimsAt = d.aims(f, doc)
		case "fault":
			e.name = d.text(f)
		case "target":
			e.target = d.setting(f)
		case "every", "count", "until", "when", "heal-when": // below
		default:
			e.options[name] = d.setting(f)
		}
	}
	e.repeat = d.repeat(e)
	d.conditions(&e, doc)
	return e
}

// label reads the name of a line, which no other may have.
func (d *decoder) label(f field, doc *document) string {
	label := d.text(f)
	if !experimentName.MatchString(label) {
		d.fail(first(f.value), "expected a name of small letters, digits and dashes, not %q", label)
	}
	if slices.Contains(doc.labels(), label) {
		d.fail(first(f.value), "two faults are named %q", label)
	}
	return label
}

// labels are the names of the lines that have one.
func (doc *document) labels() (all []string) {
	for _, e := range doc.faults {
		if e.label != "" {
			all = append(all, e.label)
		}
	}
	return all
}

// aims reads the pipelines that the fault is meant for.
func (d *decoder) aims(f field, doc *document) (all []string) {
	for _, item := range d.list(f) {
		name := d.text(item)
		if !slices.Contains(doc.exp.Pipelines, name) {
			d.fail(item.key, "the experiment has no pipeline %q (%s)", name, suggest(name, doc.exp.Pipelines))
		}
		all = append(all, name)
	}
	return all
}

// checkEntry checks everything that a fault may turn out to be.
func (d *decoder) checkEntry(e entry, exp harness.Experiment, scope harness.Scope) {
	if _, err := toxics.Find(e.name); err != nil {
		d.fail(first(e.tokens["fault"].value), "unknown fault %q (%s)", e.name, suggest(e.name, toxics.Names()))
		return
	}
	if end := e.ends(); end > exp.Load.Duration {
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
func (d *decoder) checkOptions(e entry, target string, scope harness.Scope) {
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

func (d *decoder) makeFault(e entry, target string, options map[string]any, scope harness.Scope) {
	fault, err := toxics.New(e.name, options)
	if err == nil {
		err = toxics.Check(e.name, fault, target, scope)
	}
	var option *toxics.OptionError
	switch {
	case err == nil:
	case errors.As(err, &option) && option.Unknown:
		d.fail(e.tokens[option.Option].key, "unknown option %q: a line has %s; %s", option.Option,
			strings.Join(reserved, ", "), option.Reason)
	case errors.As(err, &option) && e.tokens[option.Option].value != nil:
		d.fail(first(e.tokens[option.Option].value), "%v", err)
	default: // the target, or an option that is as it is unless given
		d.fail(first(e.tokens["target"].value), "%v", err)
	}
}

// scopeOf is what an experiment has, for checks of faults.
func scopeOf(names []string, exp harness.Experiment) (harness.Scope, error) {
	scope := harness.Scope{Brokers: len(exp.Cluster.Topology.BrokerIDs()), Partitions: exp.Cluster.Partitions, Workers: exp.Workers}
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

func checkFault(f harness.ScheduledFault, scope harness.Scope) error {
	return toxics.Check(f.Name, f.Fault, f.Target, scope)
}
