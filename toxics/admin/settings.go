package toxics

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// resource is what has a configuration: a topic or a broker.
type resource struct {
	kind kmsg.ConfigResourceType
	name string
}

func (r resource) String() string {
	if r.kind == kmsg.ConfigResourceTypeBroker {
		return "broker " + r.name
	}
	return "topic " + r.name
}

// settle sets a value (nil removes it) and waits until the brokers show it: a change reaches each with the metadata log.
func settle(ctx context.Context, f *harness.Field, r resource, name string, value *string) error {
	if err := alterConfig(ctx, f, r, name, value); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, moveWithin)
	defer cancel()
	return until(ctx, func() error { return shows(ctx, f, r, name, value) })
}

func valueText(value *string) string {
	if value == nil {
		return "unset"
	}
	return fmt.Sprintf("%q", *value)
}

// alterConfig sets one value, or removes it.
func alterConfig(ctx context.Context, f *harness.Field, r resource, name string, value *string) error {
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	res := kmsg.NewIncrementalAlterConfigsRequestResource()
	res.ResourceType, res.ResourceName = r.kind, r.name
	entry := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	entry.Name, entry.Op, entry.Value = name, kmsg.IncrementalAlterConfigOpSet, value
	if value == nil {
		entry.Op = kmsg.IncrementalAlterConfigOpDelete
	}
	res.Configs = append(res.Configs, entry)
	req.Resources = append(req.Resources, res)
	resp, err := askOf[*kmsg.IncrementalAlterConfigsResponse](ctx, f.Admin, r.nodes(f), req)
	if err != nil {
		return fmt.Errorf("set %s of %s: %w", name, r, err)
	}
	for _, res := range resp.Resources {
		if err := codeError(res.ErrorCode, res.ErrorMessage); err != nil {
			return fmt.Errorf("set %s of %s: %w", name, r, err)
		}
	}
	return nil
}

// describeConfig asks the first of the nodes that answers what a setting is now.
func describeConfig(
	ctx context.Context, f *harness.Field, nodes []int, r resource, name string,
) (kmsg.DescribeConfigsResponseResourceConfig, error) {
	var none kmsg.DescribeConfigsResponseResourceConfig
	req := kmsg.NewPtrDescribeConfigsRequest()
	res := kmsg.NewDescribeConfigsRequestResource()
	res.ResourceType, res.ResourceName, res.ConfigNames = r.kind, r.name, []string{name}
	req.Resources = append(req.Resources, res)
	resp, err := askOf[*kmsg.DescribeConfigsResponse](ctx, f.Admin, nodes, req)
	if err != nil {
		return none, fmt.Errorf("%s of %s: %w", name, r, err)
	}
	for _, res := range resp.Resources {
		if err := codeError(res.ErrorCode, res.ErrorMessage); err != nil {
			return none, fmt.Errorf("%s of %s: %w", name, r, err)
		}
		for _, c := range res.Configs {
			if c.Name == name {
				return c, nil
			}
		}
	}
	return none, fmt.Errorf("%s has no setting %q", r, name)
}

// nodes are the brokers to ask: a broker's own configuration is only known to itself.
func (r resource) nodes(f *harness.Field) []int {
	all := f.Cluster.Info().Nodes
	for _, n := range all {
		if r.kind == kmsg.ConfigResourceTypeBroker && r.name == fmt.Sprint(n) {
			return []int{n}
		}
	}
	return all
}

// ownValue is the value that was set on the resource itself, nil where it is inherited.
func ownValue(r resource, c kmsg.DescribeConfigsResponseResourceConfig) *string {
	own := kmsg.ConfigSourceDynamicTopicConfig
	if r.kind == kmsg.ConfigResourceTypeBroker {
		own = kmsg.ConfigSourceDynamicBrokerConfig
	}
	if c.Source != own {
		return nil
	}
	return c.Value
}

// effective is what a setting is now, wherever from, for people.
func effective(ctx context.Context, f *harness.Field, r resource, name string) (string, error) {
	c, err := describeConfig(ctx, f, r.nodes(f), r, name)
	if err != nil {
		return "", err
	}
	if c.Value == nil {
		return "unset", nil
	}
	return *c.Value, nil
}
