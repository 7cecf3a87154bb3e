package kit

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// Lead makes a replica the preferred leader of each place, and elects it. Which others there are, and their order behind
// it, stays as it is.
func Lead(ctx context.Context, f *harness.Field, v target.View, next map[admin.TopicPartition]int) error {
	order := map[admin.TopicPartition][]int32{}
	var places []admin.TopicPartition
	for p, broker := range next {
		order[p] = admin.WithFirst(v.Replicas(p), int32(broker))
		places = append(places, p)
	}
	if err := admin.Reorder(ctx, f, order); err != nil {
		return err
	}
	failed, err := admin.Elect(ctx, f, admin.PreferredElection, places)
	errs := []error{err}
	for _, err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// ClaimOrders notes the orders of replicas that a fault wants, before it changes them, and how to put back what was there:
// in each place the order first, then an election of the preferred leader where it is alive.
func ClaimOrders(i *inject.Injection, v target.View, places []admin.TopicPartition, want func(admin.TopicPartition) []int32) error {
	orders := claims.Of[[]int32](i.Field.Claims, "order of replicas") // the first is the preferred leader
	for _, p := range places {
		first := func() ([]int32, error) { return v.Replicas(p), nil }
		c, err := orders.Take(p.String(), want(p), first)
		if err != nil {
			return err
		}
		i.Undo.Add("leader of "+p.String(), admin.HealWithin, func(ctx context.Context) error {
			_, err := orders.Give(c, func(order []int32) error { return admin.PutBack(ctx, i.Field, p, order) })
			return err
		})
	}
	i.Expect(fmt.Sprintf("%d partitions have a leader that all brokers agree on", len(places)), func(ctx context.Context) error {
		return admin.Agreed(ctx, i.Field, places)
	})
	return nil
}
