package catalogue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/nearest"
	"github.com/chaeos/chaeos/triggers"
)

const (
	// fireWithin is how long a trigger may take by default; one that waits for another fault gets this time on top of what
	// that fault may last.
	fireWithin = 10 * time.Second
	// longestWithin bounds what a line may set.
	longestWithin = 24 * time.Hour
)

// condition is a line's trigger, before anything was drawn.
type condition struct {
	field    field
	kind     string
	settings map[string]setting
	tokens   map[string]field
	within   time.Duration
	delay    span
	hold     bool
}

// conditions reads when and heal-when, and checks everything that they may turn out to be.
func (d *decoder) conditions(e *entry, doc *document) {
	if f, ok := e.tokens["when"]; ok {
		e.when = d.condition(f, "delay", "within", "release")
	}
	if f, ok := e.tokens["heal-when"]; ok {
		e.healWhen = d.condition(f, "delay")
	}
	if d.err != nil {
		return
	}
	scope := doc.triggerScope(len(doc.faults), doc.exp)
	for _, c := range []*condition{e.when, e.healWhen} {
		d.checkCondition(c, scope)
	}
	if e.when != nil && d.err == nil {
		d.bounded(e, doc)
	}
	d.checkSameWorkers(e, scope)
}

// condition reads one trigger: the one key that names it, its own settings, and the bounds that every trigger has.
func (d *decoder) condition(f field, bounds ...string) *condition {
	c := &condition{field: f, settings: map[string]setting{}, tokens: map[string]field{}}
	for _, s := range d.entries(f.value, "with a trigger, like {acked: 2000}") {
		c.tokens[s.name] = s
		switch {
		case slices.Contains(bounds, s.name):
			d.bound(c, s)
		case slices.Contains(triggers.Names(), s.name) && c.kind != "":
			d.fail(s.key, "a trigger waits for one thing: %s or %s, not both", c.kind, s.name)
		case slices.Contains(triggers.Names(), s.name):
			c.kind = s.name
			fallthrough
		default:
			c.settings[s.name] = d.setting(s)
		}
	}
	if c.kind == "" {
		d.fail(first(f.value), "expected a trigger: one of %s%s", strings.Join(triggers.Names(), ", "), meant(c))
	}
	return c
}

// meant names the triggers that one of the settings may have meant.
func meant(c *condition) string {
	for _, name := range slices.Sorted(maps.Keys(c.settings)) {
		if near := nearest.Names(name, triggers.Names()); len(near) > 0 {
			return fmt.Sprintf(" (did you mean %s?)", strings.Join(near, " or "))
		}
	}
	return ""
}

// bound reads one of the settings that every trigger has.
func (d *decoder) bound(c *condition, s field) {
	switch s.name {
	case "within":
		c.within = d.duration(s, shortest, longestWithin)
	case "delay":
		c.delay = d.span(s, 0, longestWithin)
	case "release":
		switch word := d.text(s); word {
		case "injected":
		case "healed":
			c.hold = true
		default:
			d.fail(first(s.value), "expected injected or healed for release (when the waiting worker may go on), not %q", word)
		}
	}
}

// bounded sets the trigger's bound, or refuses one that is over before the fault it waits for can be there.
func (d *decoder) bounded(e *entry, doc *document) {
	awaited := doc.awaited(e)
	switch {
	case e.when.within == 0:
		e.when.within = doc.bound(e)
	case e.at.low+e.when.within < awaited:
		d.fail(first(e.when.field.value), "the trigger gives up at %s, and the fault it waits for may get there only at %s",
			e.at.low+e.when.within, awaited)
	}
}

// bound is how long a line's trigger may take by default: as long as the fault it waits for may take to get there, and a
// margin.
func (doc *document) bound(e *entry) time.Duration {
	return max(doc.awaited(e)-e.at.low, 0) + fireWithin
}

// awaited is the latest time at which the fault that a line's trigger waits for is injected, or healed; 0 if it waits
// for none.
func (doc *document) awaited(e *entry) time.Duration {
	i := doc.follows(*e)
	switch {
	case i < 0:
		return 0
	case e.when.kind == "healed":
		return doc.faults[i].ends()
	default:
		return doc.faults[i].ends() - doc.faults[i].lasts.high
	}
}

// follows is the index of the line that another line's trigger waits for, or -1.
func (doc *document) follows(e entry) int {
	if e.when == nil {
		return -1
	}
	label, _ := e.when.settings[e.when.kind].plain.(string)
	if e.when.kind != "healed" && e.when.kind != "injected" {
		return -1
	}
	return slices.IndexFunc(doc.faults, func(other entry) bool { return other.label == label && label != "" })
}

// checkCondition makes the trigger with every variant of each setting, the others at their low ends.
func (d *decoder) checkCondition(c *condition, scope harness.Scope) {
	if c == nil {
		return
	}
	plain := map[string]any{}
	for name, s := range c.settings {
		plain[name] = s.variants()[0]
	}
	d.makeTrigger(c, plain, scope)
	for _, name := range slices.Sorted(maps.Keys(c.settings)) {
		for _, variant := range c.settings[name].variants()[1:] {
			settings := maps.Clone(plain)
			settings[name] = variant
			d.makeTrigger(c, settings, scope)
		}
	}
}

func (d *decoder) makeTrigger(c *condition, settings map[string]any, scope harness.Scope) {
	_, err := triggers.New(c.kind, settings, scope)
	var option *triggers.OptionError
	switch {
	case err == nil:
	case errors.As(err, &option) && option.Unknown:
		d.fail(c.tokens[option.Option].key, "unknown setting %q: the trigger %s", option.Option, option.Reason)
	case errors.As(err, &option) && c.tokens[option.Option].value != nil:
		d.fail(first(c.tokens[option.Option].value), "%v", err)
	default:
		d.fail(first(c.field.value), "%v", err)
	}
}

// checkSameWorkers refuses a pair of triggers of which one would leave workers waiting for the other.
func (d *decoder) checkSameWorkers(e *entry, scope harness.Scope) {
	if e.when == nil || e.healWhen == nil || d.err != nil {
		return
	}
	begins, err := e.when.draw(lowest{}, "", scope)
	ends, healErr := e.healWhen.draw(lowest{}, "", scope)
	switch {
	case err != nil || healErr != nil: // checked before
	case !triggers.SameWorkers(begins.Trigger, ends.Trigger):
		d.fail(first(e.healWhen.field.value), "heal-when and when wait for workers of the same pipelines: give both the same of and partition")
	case e.when.hold && slices.ContainsFunc(ends.Trigger.Holds(), func(p string) bool { return slices.Contains(begins.Trigger.Holds(), p) }):
		d.fail(first(e.healWhen.field.value), "heal-when waits for a worker that when keeps waiting: leave out release: healed")
	}
}

// triggerScope says what the triggers of line i may name.
func (doc *document) triggerScope(i int, exp harness.Experiment) harness.Scope {
	scope, _ := scopeOf(exp.Pipelines, exp) // an experiment without pipelines is refused elsewhere
	for _, e := range doc.faults[:i] {
		if e.label != "" {
			scope.Labels = append(scope.Labels, e.label)
		}
	}
	return scope
}

// trigger puts the line's triggers on one of its faults.
func (e entry) trigger(d drawer, path string, f *harness.ScheduledFault, scope harness.Scope) (err error) {
	if e.when != nil {
		if f.When, err = e.when.draw(d, path+"when.", scope); err != nil {
			return fmt.Errorf("when: %w", err)
		}
	}
	if e.healWhen != nil {
		if f.HealWhen, err = e.healWhen.draw(d, path+"heal-when.", scope); err != nil {
			return fmt.Errorf("heal-when: %w", err)
		}
	}
	return nil
}

func (c *condition) draw(d drawer, path string, scope harness.Scope) (*harness.When, error) {
	settings := map[string]any{}
	for name, s := range c.settings {
		settings[name] = s.draw(d, path+name)
	}
	trigger, err := triggers.New(c.kind, settings, scope)
	if err != nil {
		return nil, err
	}
	return &harness.When{Trigger: trigger, Within: c.within, Delay: c.delay.draw(d, path+"delay"), HoldToHeal: c.hold}, nil
}
