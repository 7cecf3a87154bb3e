package toxics

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var offsetsDeleteKind = Kind{
	Name: "offsets-delete",
	About: "waits until groups are empty, then takes their committed offsets from them; no heal brings them back: the reset " +
		"rule of whoever comes next decides",
	Hits: Groups,
	Options: []options.Info{
		{Name: "how", About: "delete (the administrator's request) or expire (the broker's own clean-up finds them too old: set " +
			"offsets.retention.check.interval.ms low); delete unless given"},
		{Name: "within", About: "how long the groups may take to be empty, and the offsets to be gone, 1s to 5m; 30s unless given"},
	},
	make: newOffsetsDelete,
}

// Ways for offsets to go.
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
	return fromEmptyGroups{o.within, o.take}.inject(ctx, f, selector)
}

// take takes all offsets from one group, and returns what they were.
func (o offsetsDelete) take(ctx context.Context, f *harness.Field, i *injection, group string) ([]committed, error) {
	had, err := fetchOffsets(ctx, f, group)
	if err != nil || len(had) == 0 {
		return had, err
	}
	remove := deleteOffsets
	if o.how == byExpiry {
		remove = expireOffsets
	}
	if err := remove(ctx, f, group, had); err != nil {
		return nil, err
	}
	if err := awaitNoOffsets(ctx, f, group); err != nil {
		return nil, err
	}
	for _, c := range had {
		i.lasts(harness.Lasting{What: harness.OffsetDeleted, Topic: c.topic, Partition: c.partition, Group: group, From: c.offset, To: -1})
	}
	return had, nil
}
