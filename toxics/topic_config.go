package toxics

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var topicConfigKind = kit.Kind{
	Name:  "topic-config",
	About: "changes settings of topics; the heal puts back what was set before",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "set", About: "a mapping from setting to value; default min.insync.replicas: 1"},
	},
	Make: newTopicConfig,
}

type topicConfig struct{ kit.SettingChange }

var _ harness.Fault = topicConfig{}

func newTopicConfig(r *options.Reader) harness.Fault {
	set := r.Settings("set")
	if set == nil {
		set = map[string]string{"min.insync.replicas": "1"}
	}
	return topicConfig{kit.SettingChange{Set: set}}
}

func (topicConfig) Needs() []string { return nil }

// Check returns an error for single partitions: settings belong to whole topics.
func (topicConfig) Check(_ harness.Scope, t target.Target) error {
	return t.WholeTopics("settings belong to")
}

func (c topicConfig) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	var topics []admin.Resource
	for _, topic := range ask.Topics(on.Partitions) {
		topics = append(topics, admin.Resource{Kind: kmsg.ConfigResourceTypeTopic, Name: topic})
	}
	on.Hit.Text = fmt.Sprintf("%d topics", len(topics))
	changed, err := c.Apply(ctx, on.Injection, topics)
	if err != nil {
		return on.Injection, err
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			var texts []string
			for _, t := range topics {
				if on.View.Concerns(l, t.Name) {
					texts = append(texts, on.View.Generic(t.Name)+": "+changed[t])
				}
			}
			if len(texts) == 0 {
				return inject.NotTouched("no topic of it was changed")
			}
			return strings.Join(texts, "; "), true
		}
	}
	on.Began(ctx, on.View, on.View.Nodes)
	return on.Injection, nil
}
