package triggers

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
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

// OptionInfo says what one setting of a trigger is, for people.
type OptionInfo struct{ Name, About string }

// OptionError says what is wrong with one setting of a trigger.
type OptionError = options.Error

// trigger is a harness.Trigger that can be checked against an experiment.
type trigger interface {
	harness.Trigger
	// settle fills in what the experiment decides, and says what contradicts it.
	settle(Scope) (harness.Trigger, error)
}

// kinds lists every trigger, sorted by name. A new trigger is one new file and one line here.
var kinds = options.Registry[Kind]{What: "trigger", NameOf: func(k Kind) string { return k.Name }, Kinds: []Kind{
	ackedKind,
	endTxnKind,
	healedKind,
	injectedKind,
	phaseKind,
	transactionOpenKind,
}}

// All lists every trigger there is, sorted by name.
func All() []Kind { return kinds.All() }

// Names lists the names of all triggers, sorted.
func Names() []string { return kinds.Names() }

// Find returns the trigger named so, or an error that lists the names there are.
func Find(name string) (Kind, error) { return kinds.Find(name) }

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
	r := &reader{options.NewReader(settings), kind}
	made := kind.make(r)
	known := append([]string{kind.Name}, options.Names(kind.Options, func(o OptionInfo) string { return o.Name })...)
	if err := r.Finish("the trigger "+kind.Name, known); err != nil {
		return nil, err
	}
	return made.settle(scope)
}

func wrong(option, format string, args ...any) *OptionError {
	return &OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
}

// reader reads a trigger's settings.
type reader struct {
	*options.Reader
	kind Kind
}

// word reads a word; "" where it isn't given.
func (r *reader) word(option string) string {
	s := r.Text(option, "")
	if _, given := r.Value(option); given && s == "" {
		r.Fail(option, "expected a word")
	}
	return s
}

// number reads a whole number from low up.
func (r *reader) number(option string, def, low int) uint64 {
	const most = 1_000_000_000
	return uint64(max(0, r.Number(option, def, low, most)))
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
