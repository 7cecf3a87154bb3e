package toxics

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// Scope is what an experiment has, for checks before anything starts.
type Scope struct {
	Pipelines                    []harness.PipelineInfo
	Brokers, Partitions, Workers int
}

func (s Scope) has(pipeline string) bool {
	return slices.ContainsFunc(s.Pipelines, func(p harness.PipelineInfo) bool { return p.Name == pipeline })
}
