package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var groupDeleteKind = kit.Kind{
	Name:  "group-delete",
	About: "waits until groups are empty, then deletes them with their offsets; no heal brings them back",
	Hits:  target.Groups,
	Options: []options.Info{
		{Name: "within", About: "how long the groups may take to become empty, 1s to 5m; default 30s"},
	},
	Make: newGroupDelete,
}

// groupDelete is an administrator's slip: the next member finds a new group.
type groupDelete struct{ within time.Duration }

var _ harness.Fault = groupDelete{}

func newGroupDelete(r *options.Reader) harness.Fault {
	return groupDelete{r.Duration("within", 30*time.Second, time.Second, 5*time.Minute)}
}

func (groupDelete) Needs() []string { return nil }

func (groupDelete) String() string { return "" }

func (g groupDelete) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return kit.FromEmptyGroups{Within: g.within, Take: takeGroup}.Inject(ctx, f, selector)
}

// takeGroup deletes one group, and returns the offsets that went with it.
func takeGroup(ctx context.Context, f *harness.Field, i *inject.Injection, group string) ([]admin.Committed, error) {
	had, err := admin.FetchOffsets(ctx, f, group)
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = []string{group}
	resp, _, err := ask.Coordinated[*kmsg.DeleteGroupsResponse](ctx, f.Brokers(), group, req)
	if err != nil {
		return nil, fmt.Errorf("delete group %s: %w", group, err)
	}
	for _, g := range resp.Groups {
		if err := ask.CodeError(g.ErrorCode, nil); err != nil {
			return nil, fmt.Errorf("delete group %s: %w", group, err)
		}
	}
	if err := admin.AwaitNoOffsets(ctx, f, group); err != nil {
		return nil, err
	}
	for _, c := range had {
		i.Lasts(harness.Lasting{What: harness.OffsetDeleted, Topic: c.Topic, Partition: c.Partition, Group: group, From: c.Offset, To: -1})
	}
	return had, nil
}
