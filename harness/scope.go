package harness

import "slices"

// Scope is what an experiment has, for checks of its faults and triggers before anything starts.
type Scope struct {
	Pipelines                    []PipelineInfo
	Brokers, Partitions, Workers int
	// Labels are the names of the faults above the one whose trigger is checked.
	Labels []string
}

// Pipeline returns the named pipeline, and whether the experiment has it.
func (s Scope) Pipeline(name string) (PipelineInfo, bool) {
	i := slices.IndexFunc(s.Pipelines, func(p PipelineInfo) bool { return p.Name == name })
	if i < 0 {
		return PipelineInfo{}, false
	}
	return s.Pipelines[i], true
}

// Has reports whether the experiment has the named pipeline.
func (s Scope) Has(pipeline string) bool {
	_, ok := s.Pipeline(pipeline)
	return ok
}
