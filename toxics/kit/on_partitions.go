package kit

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// OnPartitions is an injection on partitions that has not done anything yet.
type OnPartitions struct {
	*inject.Injection
	// View is what every broker did when the target was found.
	View       target.View
	Partitions []ask.TopicPartition
}

// FindPartitions resolves a target that selects partitions, and notes what is in flight.
func FindPartitions(ctx context.Context, f *harness.Field, selector string) (OnPartitions, error) {
	t, err := target.Parse(selector)
	if err != nil {
		return OnPartitions{}, err
	}
	v, err := target.Look(ctx, f)
	if err != nil {
		return OnPartitions{}, err
	}
	found, err := t.FindPartitions(v)
	if err != nil {
		return OnPartitions{}, err
	}
	return OnPartitions{inject.New(f, v.ResolvePartitions(found)), v, found}, nil
}
