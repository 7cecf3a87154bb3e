package toxics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// configValues are the settings that faults changed: nil is a setting that nobody had given a value of its own.
var configValues originals[*string]

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

// configChange sets values of resources, and puts back what was there.
type configChange struct {
	set map[string]string
}

func (c configChange) String() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.set)) {
		texts = append(texts, name+"="+c.set[name])
	}
	return strings.Join(texts, ", ")
}

// apply changes every setting of every resource, and returns what each was before, as it is shown to people.
func (c configChange) apply(ctx context.Context, i *injection, resources []resource) (map[resource]string, error) {
	before := map[resource]string{}
	for _, r := range resources {
		for _, name := range slices.Sorted(maps.Keys(c.set)) {
			was, err := effective(ctx, i.field, r, name)
			if err != nil {
				return before, err
			}
			before[r] += fmt.Sprintf(", %s %s -> %s", name, was, c.set[name])
			if err := c.one(ctx, i, r, name); err != nil {
				return before, err
			}
		}
		before[r] = strings.TrimPrefix(before[r], ", ")
	}
	return before, nil
}

// one changes one setting, and notes how to put it back before it does.
func (c configChange) one(ctx context.Context, i *injection, r resource, name string) error {
	want, key := c.set[name], keyOn(i.field, r.String()+" "+name)
	claim, err := configValues.take(key, &want, func() (*string, error) {
		entry, err := describeConfig(ctx, i.field, r.nodes(i.field), r, name)
		return ownValue(r, entry), err
	})
	if err != nil {
		return err
	}
	var before *string
	var last bool
	i.undo.add(fmt.Sprintf("%s of %s", name, r), adminWithin, func(ctx context.Context) error {
		var err error
		last, err = configValues.give(claim, func(value *string) error {
			before = value // a broker's own settings can't be changed while it is down: it may be another fault's
			return until(ctx, func() error { return settle(ctx, i.field, r, name, value) })
		})
		return err
	})
	i.expect("settings as before", func(ctx context.Context) error {
		if !last || configValues.claimed(key) { // another fault's to look after
			return nil
		}
		return shows(ctx, i.field, r, name, before)
	})
	return settle(ctx, i.field, r, name, &want)
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

// until repeats what fails, until it doesn't or ctx ends.
func until(ctx context.Context, do func() error) error {
	var last error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		last = do()
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
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
