package triggers

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// Kind is one registered trigger: what users can name under when and heal-when.
type Kind struct {
	// Name is the key whose value is what to wait for.
	Name string
	// About is one line: when the trigger fires, and what it makes wait.
	About string
	// Value describes the key's value for people, Sign is the word for it on docs/SCHEDULES.md: "N".
	Value, Sign string
	// Options are the other settings that it takes, sorted by name.
	Options []options.Info
	// make reads the settings and returns the trigger. What is wrong with them is noted in the reader.
	make func(*options.Reader) trigger
}

func (k Kind) name() string { return k.Name }

// takes lists every setting. The value is one of them, under the trigger's own name.
func (k Kind) takes() []options.Info {
	return append([]options.Info{{Name: k.Name, About: k.Value}}, k.Options...)
}

// OptionError is what is wrong with one setting of a trigger.
type OptionError = options.Error

// trigger is a harness.Trigger that can be checked against an experiment.
type trigger interface {
	harness.Trigger
	// validate fills in what depends on the experiment, and returns an error if the experiment contradicts it.
	validate(harness.Scope) (harness.Trigger, error)
}

// kinds lists every trigger, sorted by name. A new trigger is one new file and one line here.
var kinds = options.Registry[Kind]{What: "trigger", NameOf: Kind.name, Takes: Kind.takes, Kinds: []Kind{
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

// Find returns the named trigger, or an error that lists the names there are.
func Find(name string) (Kind, error) { return kinds.Find(name) }

// New makes the named trigger from its settings as YAML gives them: strings, integers, lists and mappings. One of them is the
// value, under the trigger's own name. What is wrong with a setting is an *OptionError.
func New(name string, settings map[string]any, scope harness.Scope) (harness.Trigger, error) {
	kind, r, err := kinds.Open(name, settings)
	if err != nil {
		return nil, err
	}
	made := kind.make(r)
	if err := r.Finish(); err != nil {
		return nil, err
	}
	return made.validate(scope)
}

func wrong(option, format string, args ...any) *OptionError {
	return &OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
}

// count reads a whole number from low up.
func count(r *options.Reader, option string, def, low int) uint64 {
	const most = 1_000_000_000
	return uint64(max(0, r.Number(option, def, low, most)))
}

// pipelineOf returns the named pipeline of the experiment.
func pipelineOf(s harness.Scope, name string) (harness.PipelineInfo, error) {
	info, ok := s.Pipeline(name)
	if !ok {
		var names []string
		for _, p := range s.Pipelines {
			names = append(names, p.Name)
		}
		return info, wrong("of", "the experiment has no pipeline %q (it has %s)", name, strings.Join(names, ", "))
	}
	return info, nil
}
