package workloads

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// Pipeline is one configuration under test.
type Pipeline struct {
	harness.PipelineInfo
	// work runs one worker until it is told to stop or ctx is done; nil for producer-only pipelines.
	work func(ctx context.Context, w *worker) error
	// producer are the producing options of a producer-only pipeline's source.
	producer []kgo.Opt
	// unacknowledged says that the source's broker never answers (acks=0), so a record can be sent but never acked.
	unacknowledged bool
}

// Pipelines lists every pipeline, sorted by name. A new one is one file and one line here.
func Pipelines() []Pipeline {
	return []Pipeline{
		acks1(),
		autoCommit(),
		idempotent(),
		transactional(),
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
