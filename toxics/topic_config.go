package toxics

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var topicConfigKind = Kind{
	Name:  "topic-config",
	About: "changes settings of topics; the heal puts back what was set before",
	Hits:  Partitions,
	Options: []options.Info{
		{Name: "set", About: "a mapping from setting to value; min.insync.replicas: 1 unless given"},
	},
	make: newTopicConfig,
}

type topicConfig struct{ configChange }

var _ harness.Fault = topicConfig{}

func newTopicConfig(r *options.Reader) harness.Fault {
	set := r.Settings("set")
	if set == nil {
		set = map[string]string{"min.insync.replicas": "1"}
	}
	return topicConfig{configChange{set}}
}

func (topicConfig) Needs() []string { return nil }

// check refuses a single partition: settings belong to whole topics.
func (topicConfig) check(_ harness.Scope, t Target) error {
	return t.wholeTopics("settings belong to")
}

func (c topicConfig) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	var topics []resource
	for _, topic := range topicsIn(on.places) {
		topics = append(topics, resource{kmsg.ConfigResourceTypeTopic, topic})
	}
	on.i.resolved.Text = fmt.Sprintf("%d topics", len(topics))
	changed, err := c.apply(ctx, on.i, topics)
	if err != nil {
		return on.i, err
	}
	on.i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			var texts []string
			for _, t := range topics {
				if on.view.concerns(l, t.name) {
					texts = append(texts, on.view.generic(t.name)+": "+changed[t])
				}
			}
			if len(texts) == 0 {
				return notTouched("no topic of it was changed")
			}
			return strings.Join(texts, "; "), true
		}
	}
	on.i.began(ctx, on.view, on.view.nodes)
	return on.i, nil
}
