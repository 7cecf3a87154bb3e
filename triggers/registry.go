package triggers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// Kind is one registered trigger: what users can name under when and heal-when.
type Kind struct {
	// Name is the key whose value says what to wait for.
	Name  string
	About string
	// Value says what the key's value is, for people.
	Value string
	// Options are the settings it takes beside that, sorted by name.
	Options []OptionInfo
	// make reads the settings and returns the trigger; what is wrong with them stays in the reader.
	make func(*reader) trigger
}

// OptionInfo says what one setting is, for people.
type OptionInfo struct{ Name, About string }

// trigger is a harness.Trigger that can be checked against an experiment.
type trigger interface {
	harness.Trigger
	// settle fills in what the experiment decides, and says what contradicts it.
	settle(Scope) (harness.Trigger, error)
}

// kinds lists every trigger, sorted by name. A new trigger is one new file and one line here.
var kinds = []Kind{
	ackedKind,
	endTxnKind,
	healedKind,
	injectedKind,
	phaseKind,
	transactionOpenKind,
}

// All lists every trigger there is, sorted by name.
func All() []Kind { return slices.Clone(kinds) }

// Names lists the names of all triggers, sorted.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Find returns the trigger named so, or an error that lists the names there are.
func Find(name string) (Kind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("unknown trigger %q (one of %s)", name, strings.Join(Names(), ", "))
}

// Scope is what an experiment has, for checks before anything starts.
type Scope struct {
	Pipelines           []harness.PipelineInfo
	Partitions, Workers int
	// Labels are those of the faults before the one that waits.
	Labels []string
}

// New makes the named trigger from its settings, its value under its own name among them, as YAML gives them: strings,
// integers, lists and mappings. What is wrong with a setting comes back as an *OptionError.
func New(name string, settings map[string]any, scope Scope) (harness.Trigger, error) {
	kind, err := Find(name)
	if err != nil {
		return nil, err
	}
	r := &reader{kind: kind, settings: settings}
	made := kind.make(r)
	if err := r.finish(); err != nil {
		return nil, err
	}
	return made.settle(scope)
}

// OptionError says what is wrong with one setting of a trigger.
type OptionError struct {
	// Option is the setting's name.
	Option string
	// Unknown says that the trigger takes no such setting: the name is wrong, not its value.
	Unknown bool
	Reason  string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

func wrong(option, format string, args ...any) *OptionError {
	return &OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
}

// reader reads a trigger's settings. It keeps the first thing that is wrong; after that it returns zero values.
type reader struct {
	kind     Kind
	settings map[string]any
	err      error
}

func (r *reader) fail(option, format string, args ...any) {
	if r.err == nil {
		r.err = wrong(option, format, args...)
	}
}

// finish returns the first error, a setting that the trigger doesn't take among them.
func (r *reader) finish() error {
	known := []string{r.kind.Name}
	for _, o := range r.kind.Options {
		known = append(known, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.settings)) {
		if !slices.Contains(known, name) {
			return &OptionError{Option: name, Unknown: true,
				Reason: fmt.Sprintf("the trigger %s takes %s", r.kind.Name, strings.Join(known, ", "))}
		}
	}
	return r.err
}

// text reads a word; "" where it isn't given.
func (r *reader) text(option string) string {
	value, given := r.settings[option]
	s, ok := value.(string)
	if given && (!ok || s == "") {
		r.fail(option, "expected a word, not %v", value)
	}
	return s
}

// number reads a whole number from low up.
func (r *reader) number(option string, def, low uint64) uint64 {
	const most = 1_000_000_000
	value, given := r.settings[option]
	if !given {
		return def
	}
	var n uint64
	switch v := value.(type) {
	case uint64:
		n = v
	case int64:
		n = uint64(max(v, 0))
	case int:
		n = uint64(max(v, 0))
	default:
		r.fail(option, "expected a whole number, not %v", value)
		return def
	}
	if n < low || n > most {
		r.fail(option, "expected a whole number from %d to %d, not %v", low, most, value)
	}
	return n
}

// pipeline checks that the experiment has the named pipeline.
func (s Scope) pipeline(name string) (harness.PipelineInfo, error) {
	var names []string
	for _, p := range s.Pipelines {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return harness.PipelineInfo{}, wrong("of", "the experiment has no pipeline %q (it has %s)", name, strings.Join(names, ", "))
}
