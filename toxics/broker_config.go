package toxics

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var brokerConfigKind = kit.Kind{
	Name:  "broker-config",
	About: "changes settings of running brokers; the heal puts back what was set before",
	Hits:  target.Brokers,
	Options: []options.Info{
		{Name: "set", About: "a mapping from setting to value; default num.replica.fetchers: 2"},
	},
	Make: newBrokerConfig,
}

type brokerConfig struct{ kit.SettingChange }

var _ harness.Fault = brokerConfig{}

func newBrokerConfig(r *options.Reader) harness.Fault {
	set := r.Settings("set")
	if set == nil {
		set = map[string]string{"num.replica.fetchers": "2"}
	}
	return brokerConfig{kit.SettingChange{Set: set}}
}

func (brokerConfig) Needs() []string { return nil }

func (c brokerConfig) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindBrokers(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	var resources []admin.Resource
	for _, b := range on.Brokers {
		resources = append(resources, admin.Resource{Kind: kmsg.ConfigResourceTypeBroker, Name: fmt.Sprint(b)})
	}
	changed, err := c.Apply(ctx, on.Injection, resources)
	if err != nil {
		return on.Injection, err
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := kit.NodeFault{Done: "changed"}.Proof(on, l)
			return fmt.Sprintf("%s (%s)", proof, changed[resources[0]]), hit
		}
	}
	on.Began(ctx, on.View, on.View.Nodes)
	return on.Injection, nil
}
