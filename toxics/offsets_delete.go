package toxics

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var offsetsDeleteKind = kit.Kind{
	Name: "offsets-delete",
	About: "waits until groups are empty, then removes their committed offsets; no heal brings them back, and the next " +
		"member's reset rule decides where it starts",
	Hits: target.Groups,
	Options: []options.Info{
		{Name: "how", About: "delete (an administrator's request) or expire (the broker's own clean-up finds them too old: set " +
			"offsets.retention.check.interval.ms low); default delete"},
		{Name: "within", About: "how long the groups may take to become empty, and the offsets to be gone, 1s to 5m; default 30s"},
	},
	Make: newOffsetsDelete,
}

// The ways in which offsets go.
const (
	byRequest = "delete"
	byExpiry  = "expire"
)

// offsetsDelete makes groups forget where they were.
type offsetsDelete struct {
	how    string
	within time.Duration
}

var _ harness.Fault = offsetsDelete{}

func newOffsetsDelete(r *options.Reader) harness.Fault {
	return offsetsDelete{
		r.OneOf("how", byRequest, byExpiry), r.Duration("within", 30*time.Second, time.Second, 5*time.Minute),
	}
}

func (offsetsDelete) Needs() []string { return nil }

func (o offsetsDelete) String() string { return o.how }

func (o offsetsDelete) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return kit.FromEmptyGroups{Within: o.within, Take: o.take}.Inject(ctx, f, selector)
}

// take removes all offsets of one group, and returns what they were.
func (o offsetsDelete) take(ctx context.Context, f *harness.Field, i *inject.Injection, group string) ([]admin.Committed, error) {
	had, err := admin.FetchOffsets(ctx, f, group)
	if err != nil || len(had) == 0 {
		return had, err
	}
	remove := admin.DeleteOffsets
	if o.how == byExpiry {
		remove = admin.ExpireOffsets
	}
	if err := remove(ctx, f, group, had); err != nil {
		return nil, err
	}
	if err := admin.AwaitNoOffsets(ctx, f, group); err != nil {
		return nil, err
	}
	for _, c := range had {
		i.Lasts(harness.Lasting{What: harness.OffsetDeleted, Topic: c.Topic, Partition: c.Partition, Group: group, From: c.Offset, To: -1})
	}
	return had, nil
}
