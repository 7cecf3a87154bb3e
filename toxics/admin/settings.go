package admin

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// Resource is a topic or a broker, whose settings can be changed.
type Resource struct {
	Kind kmsg.ConfigResourceType
	Name string
}

func (r Resource) String() string {
	if r.Kind == kmsg.ConfigResourceTypeBroker {
		return "broker " + r.Name
	}
	return "topic " + r.Name
}

// Apply sets a value (nil removes it) and waits until the brokers show it.
func Apply(ctx context.Context, f *harness.Field, r Resource, name string, value *string) error {
	if err := alterSetting(ctx, f, r, name, value); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, ShownWithin)
	defer cancel()
	return Until(ctx, func() error { return Shows(ctx, f, r, name, value) })
}

func valueText(value *string) string {
	if value == nil {
		return "unset"
	}
	return fmt.Sprintf("%q", *value)
}

// alterSetting sets one value, or removes it.
func alterSetting(ctx context.Context, f *harness.Field, r Resource, name string, value *string) error {
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	res := kmsg.NewIncrementalAlterConfigsRequestResource()
	res.ResourceType, res.ResourceName = r.Kind, r.Name
	entry := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	entry.Name, entry.Op, entry.Value = name, kmsg.IncrementalAlterConfigOpSet, value
	if value == nil {
		entry.Op = kmsg.IncrementalAlterConfigOpDelete
	}
	res.Configs = append(res.Configs, entry)
	req.Resources = append(req.Resources, res)
	resp, err := ask.First[*kmsg.IncrementalAlterConfigsResponse](ctx, f.Brokers().Only(r.Nodes(f)...), req)
	if err != nil {
		return fmt.Errorf("set %s of %s: %w", name, r, err)
	}
	for _, res := range resp.Resources {
		if err := ask.CodeError(res.ErrorCode, res.ErrorMessage); err != nil {
			return fmt.Errorf("set %s of %s: %w", name, r, err)
		}
	}
	return nil
}

// DescribeSetting asks the nodes in turn what a setting is now.
func DescribeSetting(ctx context.Context, f *harness.Field, nodes []int, r Resource, name string) (ask.Setting, error) {
	return f.Brokers().Only(nodes...).Setting(ctx, r.Kind, r.Name, name)
}

// Nodes are the brokers to ask: only a broker itself knows its own settings.
func (r Resource) Nodes(f *harness.Field) []int {
	all := f.Cluster.Info().Nodes
	for _, n := range all {
		if r.Kind == kmsg.ConfigResourceTypeBroker && r.Name == fmt.Sprint(n) {
			return []int{n}
		}
	}
	return all
}

// OwnValue returns the value that was set on the resource itself, nil if it is inherited.
func OwnValue(r Resource, c ask.Setting) *string {
	own := kmsg.ConfigSourceDynamicTopicConfig
	if r.Kind == kmsg.ConfigResourceTypeBroker {
		own = kmsg.ConfigSourceDynamicBrokerConfig
	}
	if c.Source != own {
		return nil
	}
	return c.Value
}

// InForce returns the value that a setting has now, its own or an inherited one, for people.
func InForce(ctx context.Context, f *harness.Field, r Resource, name string) (string, error) {
	c, err := DescribeSetting(ctx, f, r.Nodes(f), r, name)
	if err != nil {
		return "", err
	}
	if c.Value == nil {
		return "unset", nil
	}
	return *c.Value, nil
}
