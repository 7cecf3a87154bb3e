package toxics

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
)

// lead makes a replica the preferred leader of each place, and elects it. Which others there are, and their order behind
// it, stays as it is.
func lead(ctx context.Context, f *harness.Field, v view, next map[place]int) error {
	order := map[place][]int32{}
	var places []place
	for p, broker := range next {
		order[p] = withFirst(v.replicas(p), int32(broker))
		places = append(places, p)
	}
	if err := reorder(ctx, f, order); err != nil {
		return err
	}
	failed, err := elect(ctx, f, preferredElection, places)
	errs := []error{err}
	for _, err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// claimOrders notes the orders of replicas that a fault wants, before it changes them, and how to put back what was there:
// in each place the order first, then an election of the preferred leader where it is alive.
func claimOrders(i *injection, v view, places []place, want func(place) []int32) error {
	orders := claims.Of[[]int32](i.field.Claims, "order of replicas") // the first is the preferred leader
	for _, p := range places {
		first := func() ([]int32, error) { return v.replicas(p), nil }
		c, err := orders.Take(p.String(), want(p), first)
		if err != nil {
			return err
		}
		i.undo.add("leader of "+p.String(), adminWithin, func(ctx context.Context) error {
			_, err := orders.Give(c, func(order []int32) error { return putBack(ctx, i.field, p, order) })
			return err
		})
	}
	i.expect(fmt.Sprintf("%d partitions have a leader that all brokers agree on", len(places)), func(ctx context.Context) error {
		return agreed(ctx, i.field, places)
	})
	return nil
}
