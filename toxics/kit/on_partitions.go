package toxics

import (
	"context"

	"github.com/chaeos/chaeos/harness"
)

// onPlaces is what faults on partitions begin with.
type onPlaces struct {
	view   view
	places []place
	i      *injection
}

// findPartitions resolves a target that selects partitions, and notes what is in flight.
func findPartitions(ctx context.Context, f *harness.Field, selector string) (onPlaces, error) {
	t, err := ParseTarget(selector)
	if err != nil {
		return onPlaces{}, err
	}
	v, err := look(ctx, f)
	if err != nil {
		return onPlaces{}, err
	}
	places, err := t.findPlaces(v)
	if err != nil {
		return onPlaces{}, err
	}
	return onPlaces{v, places, newInjection(f, v.placesResolved(places))}, nil
}
