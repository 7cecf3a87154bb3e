package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var groupDeleteKind = Kind{
	Name:  "group-delete",
	About: "waits until groups are empty, then deletes them, offsets and all; no heal brings them back",
	Hits:  Groups,
	Options: []options.Info{
		{Name: "within", About: "how long the groups may take to be empty, 1s to 5m; 30s unless given"},
	},
	make: newGroupDelete,
}

// groupDelete is an administrator's slip: the group is new to whoever comes next.
type groupDelete struct{ within time.Duration }

var _ harness.Fault = groupDelete{}

func newGroupDelete(r *options.Reader) harness.Fault {
	return groupDelete{r.Duration("within", 30*time.Second, time.Second, 5*time.Minute)}
}

func (groupDelete) Needs() []string { return nil }

func (groupDelete) String() string { return "" }

func (g groupDelete) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return fromEmptyGroups{g.within, takeGroup}.inject(ctx, f, selector)
}

// takeGroup deletes one group, and returns the offsets that went with it.
func takeGroup(ctx context.Context, f *harness.Field, i *injection, group string) ([]committed, error) {
	had, err := fetchOffsets(ctx, f, group)
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = []string{group}
	resp, err := askCoordinator[*kmsg.DeleteGroupsResponse](ctx, f, group, req)
	if err != nil {
		return nil, fmt.Errorf("delete group %s: %w", group, err)
	}
	for _, g := range resp.Groups {
		if err := codeError(g.ErrorCode, nil); err != nil {
			return nil, fmt.Errorf("delete group %s: %w", group, err)
		}
	}
	if err := awaitNoOffsets(ctx, f, group); err != nil {
		return nil, err
	}
	for _, c := range had {
		i.lasts(harness.Lasting{What: harness.OffsetDeleted, Topic: c.topic, Partition: c.partition, Group: group, From: c.offset, To: -1})
	}
	return had, nil
}
