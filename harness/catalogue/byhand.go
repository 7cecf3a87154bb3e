package catalogue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/toxics/target"
)

// HandRequest is a fault to inject by hand, as it was typed.
type HandRequest struct {
	Fault, Target string
	// Options are NAME=VALUE, the values as in YAML: ranges and choices are drawn from the seed.
	Options []string
	// For is how long it lasts; 0: until it is ended.
	For  time.Duration
	Seed uint64
	// Brokers is how many the cluster has; 0 if that is not known yet.
	Brokers int
}

// anyNumber bounds the numbers in a target when nothing shows how many there are. The injection refuses what isn't there.
const anyNumber = 1 << 20

// ByHand checks and makes a fault that is in no experiment's schedule. Its errors are harness.UsageErrors.
func ByHand(h HandRequest) (harness.ScheduledFault, error) {
	fail := func(format string, args ...any) (harness.ScheduledFault, error) {
		return harness.ScheduledFault{}, harness.UsageError{Reason: fmt.Sprintf(format, args...)}
	}
	if h.For != 0 && (h.For < shortest || h.For > longest) {
		return fail("--for %s: give %s to %s, for example 10s", h.For, shortest, longest)
	}
	if _, err := toxics.Find(h.Fault); err != nil {
		return fail("unknown fault %q (%s)", h.Fault, suggest(h.Fault, toxics.Names()))
	}
	settings, err := handOptions(h.Options)
	if err != nil {
		return fail("%v", err)
	}
	options := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		options[name] = settings[name].draw(seeded(h.Seed), "inject."+name)
	}
	fault, err := toxics.New(h.Fault, options)
	if err == nil {
		err = checkByHand(h, fault)
	}
	if err != nil {
		return fail("%s: %v", h.Fault, err)
	}
	return harness.ScheduledFault{For: h.For, Name: h.Fault, Target: h.Target, Fault: fault}, nil
}

func handOptions(texts []string) (map[string]setting, error) {
	out := map[string]setting{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("expected an option like latency=200ms, not %q", text)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("the option %s is given twice", name)
		}
		d := &decoder{file: "option " + name}
		if node := d.root([]byte(value)); d.err == nil {
			out[name] = d.setting(field{name, first(node), node})
		}
		if d.err != nil {
			return nil, fmt.Errorf("%s: %s", text, d.err.Problem)
		}
	}
	return out, nil
}

// checkByHand checks the target. The cluster's topics, groups and transactional ids are the user's: only the injection can
// look them up.
func checkByHand(h HandRequest, fault harness.Fault) error {
	t, err := target.Parse(h.Target)
	if err != nil {
		return err
	}
	if t.Class() == target.Workers {
		return fmt.Errorf("%q selects workers, and no run plays on this cluster", h.Target)
	}
	scope := harness.Scope{Brokers: cmp.Or(h.Brokers, anyNumber), Partitions: anyNumber}
	for _, name := range t.Names() {
		scope.Pipelines = append(scope.Pipelines, harness.PipelineInfo{Name: name})
	}
	return toxics.Check(h.Fault, fault, h.Target, scope)
}
