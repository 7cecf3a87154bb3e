package inject

import "github.com/chaeos/chaeos/harness"

func InFlight(f *harness.Field) map[string]uint64 {
	out := map[string]uint64{}
	for _, l := range f.Plan.Pipelines {
		out[l.Name] = f.InFlight(l.Name)
	}
	return out
}

// NothingInFlight is what a proof ends with where the fault hit a pipeline that had nothing to lose just then.
const NothingInFlight = ", but no record was in flight"
