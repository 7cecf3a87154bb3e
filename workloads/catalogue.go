package workloads

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/worker"
)

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
