package catalogue

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads"
)

// pipelines are the pipelines that experiments can name.
func pipelines() []harness.PipelineInfo { return workloads.Infos() }
