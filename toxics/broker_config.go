package toxics

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var brokerConfigKind = Kind{
	Name:  "broker-config",
	About: "changes settings that brokers take while they run; the heal puts back what was set before",
	Hits:  Brokers,
	Options: []options.Info{
		{Name: "set", About: "a mapping from setting to value; num.replica.fetchers: 2 unless given"},
	},
	make: newBrokerConfig,
}

type brokerConfig struct{ configChange }

var _ harness.Fault = brokerConfig{}

func newBrokerConfig(r *options.Reader) harness.Fault {
	set := r.Settings("set")
	if set == nil {
		set = map[string]string{"num.replica.fetchers": "2"}
	}
	return brokerConfig{configChange{set}}
}

func (brokerConfig) Needs() []string { return nil }

func (c brokerConfig) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	v, brokers, i, err := findNodes(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	var resources []resource
	for _, b := range brokers {
		resources = append(resources, resource{kmsg.ConfigResourceTypeBroker, fmt.Sprint(b)})
	}
	changed, err := c.apply(ctx, i, resources)
	if err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := nodeFault{done: "changed"}.proof(v, l, brokers)
			return fmt.Sprintf("%s (%s)", proof, changed[resources[0]]), hit
		}
	}
	i.began(ctx, v, v.nodes)
	return i, nil
}
