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
	About: "changes settings that brokers take while they run; the heal puts back what was set before",
	Hits:  target.Brokers,
	Options: []options.Info{
		{Name: "set", About: "a mapping from setting to value; num.replica.fetchers: 2 unless given"},
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
	v, brokers, i, err := kit.FindNodes(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	var resources []admin.Resource
	for _, b := range brokers {
		resources = append(resources, admin.Resource{Kind: kmsg.ConfigResourceTypeBroker, Name: fmt.Sprint(b)})
	}
	changed, err := c.Apply(ctx, i, resources)
	if err != nil {
		return i, err
	}
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := kit.NodeFault{Done: "changed"}.Proof(v, l, brokers)
			return fmt.Sprintf("%s (%s)", proof, changed[resources[0]]), hit
		}
	}
	i.Began(ctx, v, v.Nodes)
	return i, nil
}
