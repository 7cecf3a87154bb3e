package workloads

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/source"
	"github.com/chaeos/chaeos/workloads/worker"
)

// Pipeline is one configuration under test.
type Pipeline struct {
	harness.PipelineInfo
	// work runs one worker; nil for a producer under test.
	work worker.Loop
	// producer is what a producer under test changes of the shared source.
	producer source.Config
	// open makes a producer's program; nil for one that only sends.
	open func(*member.Process) (member.Program, error)
	// options are what an experiment can set.
	options member.Options
	// loop is what it does, in pseudo-code; each phase stands there as -- phase --.
	loop string
	// breaksWhen and cost say in a few words when the claim breaks and what it costs, for docs/PIPELINES.md.
	breaksWhen, cost string
}
