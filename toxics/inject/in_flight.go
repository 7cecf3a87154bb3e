package inject

import "github.com/chaeos/chaeos/harness"

// InFlight counts, by pipeline, the records that are offered and not yet visible.
func InFlight(f *harness.Field) map[string]uint64 {
	out := map[string]uint64{}
	for _, l := range f.Plan.Pipelines {
		out[l.Name] = f.InFlight(l.Name)
	}
	return out
}

// NothingInFlight ends the proof of a fault that hit a pipeline which had nothing to lose at that moment.
const NothingInFlight = ", but no record was in flight"
