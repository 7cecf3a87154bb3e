package workloads

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Pipeline is one configuration under test.
type Pipeline struct {
	harness.PipelineInfo
	// work runs one worker until it is told to stop or ctx is done; nil for producer-only pipelines.
	work func(ctx context.Context, w *worker) error
	// producer are the producing options of a producer-only pipeline's source.
	producer []kgo.Opt
	// open makes a producer-only pipeline's source; nil for one that only sends.
	open func(stopping context.Context, s spec, hist *history.Writer, p Pipeline, g *gates) (sender, error)
	// unacknowledged says that the source's broker never answers (acks=0), so a record can be sent but never acked.
	unacknowledged bool
	// options are what an experiment can set.
	options []Option
	// loop is what it does, in pseudo-code; phases stand in it between dashes.
	loop string
	// breaksWhen and cost say in a few words when the claim breaks and what it costs, for the table of all pipelines.
	breaksWhen, cost string
}

// loopOfSource is the loop of a source that only sends.
const loopOfSource = `for each record of the schedule:
  wait until it is due
  send                         its answer is waited for in the background`

// Pipelines lists every pipeline, sorted by name. A new one is one file and one line here.
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

// Lookup returns the named pipeline, or an error that lists the names there are.
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

// Infos lists what every pipeline declares of itself, sorted by name.
func Infos() []harness.PipelineInfo {
	var infos []harness.PipelineInfo
	for _, p := range Pipelines() {
		infos = append(infos, p.PipelineInfo)
	}
	return infos
}
