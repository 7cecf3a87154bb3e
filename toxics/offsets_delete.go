package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
)

var offsetsDeleteKind = Kind{
	Name: "offsets-delete",
	About: "waits until groups are empty, then takes their committed offsets from them; no heal brings them back: the reset " +
		"rule of whoever comes next decides",
	Hits: Groups,
	Options: []OptionInfo{
		{"how", "delete (the administrator's request) or expire (the broker's own clean-up finds them too old: set " +
			"offsets.retention.check.interval.ms low); delete unless given"},
		{"within", "how long the groups may take to be empty, and the offsets to be gone, 1s to 5m; 30s unless given"},
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

func newOffsetsDelete(r *reader) harness.Fault {
	return offsetsDelete{
		r.OneOf("how", byRequest, byExpiry), r.Duration("within", 30*time.Second, time.Second, 5*time.Minute),
	}
}

func (offsetsDelete) Needs() []string { return nil }

func (o offsetsDelete) String() string { return o.how }

func (o offsetsDelete) Inject(ctx context.Context, f *harness.Field, target string) (harness.Injection, error) {
	return fromEmptyGroups{o.within, o.take}.inject(ctx, f, target)
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

func offsetsProof(had []committed) (string, bool) {
	if len(had) == 0 {
		return notTouched("its group had no committed offsets to lose")
	}
	var texts []string
	for _, c := range had {
		texts = append(texts, fmt.Sprintf("%s/%d %d", input, c.partition, c.offset))
	}
	return "committed offsets gone: " + strings.Join(texts, ", "), true
}

// findGroups resolves a target that selects groups, by pipeline.
func findGroups(f *harness.Field, target string) (map[string]string, error) {
	t, err := ParseTarget(target)
	if err != nil {
		return nil, err
	}
	if t.Class() != Groups {
		return nil, fmt.Errorf("%q selects %s, not groups", t, t.Class())
	}
	names, err := combine(t, func(atom Target) ([]string, error) { return groupsOf(f, atom), nil })
	if err != nil {
		return nil, fmt.Errorf("no pipeline of the run has such a group: %w", err)
	}
	found := map[string]string{}
	for _, l := range f.Plan.Pipelines {
		if slices.Contains(names, l.Name) {
			found[l.Name] = l.Group
		}
	}
	return found, nil
}

// groupsOf lists the pipelines whose groups one form selects.
func groupsOf(f *harness.Field, t Target) []string {
	var names []string
	for _, l := range f.Plan.Pipelines {
		if l.Group != "" && !l.ShareGroup && (t.words["pipeline"] == "" || t.words["pipeline"] == l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}
