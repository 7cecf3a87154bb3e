package ask

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Setting is what one setting of a topic or a broker is now.
type Setting struct {
	// Value is nil where it is unset, or secret.
	Value *string
	// Source is where the value comes from: the resource itself, the brokers' defaults and so on.
	Source kmsg.ConfigSource
}

var errNoSetting = errors.New("there is no such setting; check its name")

// Setting asks the nodes in turn for one setting of a topic or a broker (kind). Only a broker itself knows its own settings.
func (b Brokers) Setting(ctx context.Context, kind kmsg.ConfigResourceType, resource, name string) (Setting, error) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	res := kmsg.NewDescribeConfigsRequestResource()
	res.ResourceType, res.ResourceName, res.ConfigNames = kind, resource, []string{name}
	req.Resources = append(req.Resources, res)
	about := fmt.Sprintf("%s of %s", name, resource)
	var found Setting
	_, err := firstThat(ctx, b, req, func(node int, resp *kmsg.DescribeConfigsResponse) error {
		for _, r := range resp.Resources {
			if err := b.refused(node, req, about, r.ErrorCode, r.ErrorMessage); err != nil {
				return err
			}
			for _, c := range r.Configs {
				if c.Name == name {
					found = Setting{c.Value, c.Source}
					return nil
				}
			}
		}
		return b.failed(node, req, about, errNoSetting)
	})
	return found, err
}
