package workloads

import (
	"fmt"
	"strings"

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

// Pipelines lists every pipeline, sorted by name. A new pipeline is one file and one line here.
func Pipelines() []Pipeline {
	return []Pipeline{
		aborting(),
		abortingReadUncommitted(),
		acksAll(),
		acksAllPipelined(),
		acks0(),
		acks1(),
		autoCommit(),
		autoCommitGreedy(),
		autoCommitSync(),
		commitAfter(),
		commitFirst(),
		commitOutOfOrder(),
		commitThenNotify(),
		fanOut(),
		idempotent(),
		idempotentProducer(),
		idempotentRestart(),
		notifyIdempotencyKey(),
		notifyInTransaction(),
		notifyThenCommit(),
		shareGroup(),
		slowOutside(),
		slowTransaction(),
		transactional(),
		transactionalHalves(),
		transactionalHalvesOldClient(),
		transactionalManual(),
		transactionalNoMetadata(),
		transactionalProducer(),
		transactionalProducerRandomID(),
		transactionalRandomID(),
		twoProducersOneID(),
	}
}

// Lookup returns the named pipeline, or an error that lists all names.
func Lookup(name string) (Pipeline, error) {
	var names []string
	for _, p := range Pipelines() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Pipeline{}, fmt.Errorf("unknown pipeline %q (one of %s)", name, strings.Join(names, ", "))
}

// Infos lists what every pipeline declares about itself, sorted by name.
func Infos() []harness.PipelineInfo {
	var infos []harness.PipelineInfo
	for _, p := range Pipelines() {
		infos = append(infos, p.PipelineInfo)
	}
	return infos
}

// CheckOptions returns what is wrong with settings for the named pipeline, or nil.
func CheckOptions(pipeline string, set map[string]string) error {
	p, err := Lookup(pipeline)
	if err != nil {
		return err
	}
	if err := p.options.Check(pipeline, set); err != nil {
		return err
	}
	return worker.CheckGroupOptions(pipeline, set)
}
