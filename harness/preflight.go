package harness

import (
	"fmt"
	"slices"
)

// UsageError is a contradiction in what was asked for; nothing was started.
type UsageError struct{ Reason string }

func (e UsageError) Error() string { return e.Reason }

// CapableProvider is a provider that lists its abilities ("links", "kill", "pause", …): what it doesn't list, it can't do.
type CapableProvider interface {
	Capabilities() []string
}

// preflight refuses contradictions before anything starts.
func preflight(rooms Rooms, spec RunSpec) error {
	exp := spec.Experiment
	switch {
	case exp.Load.Rate <= 0:
		return UsageError{fmt.Sprintf("rate %v: must be above 0 records/s", exp.Load.Rate)}
	case exp.Load.Duration <= 0:
		return UsageError{fmt.Sprintf("duration %s: must be above 0", exp.Load.Duration)}
	case len(exp.Pipelines) == 0:
		return UsageError{"no pipeline to run"}
	}
	if _, err := selectInfos(rooms.Infos, exp.Pipelines); err != nil {
		return err
	}
	for _, f := range exp.Faults {
		if f.Ends() > exp.Load.Duration {
			return UsageError{fmt.Sprintf("the %s fault lasts until %s, beyond the load's duration of %s: make the duration longer",
				f.Name, f.Ends(), exp.Load.Duration)}
		}
	}
	return checkCapabilities(rooms.Provider, exp.Faults)
}

func checkCapabilities(p Provider, faults []ScheduledFault) error {
	capable, ok := p.(CapableProvider)
	if !ok {
		return nil
	}
	can := capable.Capabilities()
	for _, f := range faults {
		for _, need := range f.Fault.Needs() {
			if !slices.Contains(can, need) {
				return UsageError{fmt.Sprintf("fault %s needs %q, which the provider %s can't do", f.Name, need, p.Name())}
			}
		}
	}
	return nil
}

// selectInfos returns what the named pipelines declare, in the order of the names.
func selectInfos(infos []PipelineInfo, names []string) ([]PipelineInfo, error) {
	var out []PipelineInfo
	for _, name := range names {
		i := slices.IndexFunc(infos, func(p PipelineInfo) bool { return p.Name == name })
		if i < 0 {
			return nil, UsageError{fmt.Sprintf("unknown pipeline %q", name)}
		}
		out = append(out, infos[i])
	}
	return out, nil
}
