package kit

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/target"
)

// Lead makes a replica the preferred leader of each partition, and elects it. The other replicas and their order stay.
func Lead(ctx context.Context, f *harness.Field, v target.View, next map[ask.TopicPartition]int) error {
	order := map[ask.TopicPartition][]int32{}
	var partitions []ask.TopicPartition
	for p, broker := range next {
		order[p] = admin.WithFirst(v.Replicas(p), int32(broker))
		partitions = append(partitions, p)
	}
	if err := admin.Reorder(ctx, f, order); err != nil {
		return err
	}
	failed, err := admin.Elect(ctx, f, admin.PreferredElection, partitions)
	errs := []error{err}
	for _, err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// ClaimOrders notes the orders of replicas that a fault wants, before it changes them, and how to put back what was there: the
// order first, then an election of the preferred leader if that one is alive.
func (on OnPartitions) ClaimOrders(want func(ask.TopicPartition) []int32) error {
	orders := claims.Of[[]int32](on.Field.Claims, "order of replicas") // the first is the preferred leader
	for _, p := range on.Partitions {
		first := func() ([]int32, error) { return on.View.Replicas(p), nil }
		c, err := orders.Take(p.String(), want(p), first)
		if err != nil {
			return err
		}
		on.Undo.Add("leader of "+p.String(), admin.HealWithin, func(ctx context.Context) error {
			_, err := orders.Give(c, func(order []int32) error { return admin.PutBack(ctx, on.Field, p, order) })
			return err
		})
	}
	on.Expect(fmt.Sprintf("%d partitions have a leader that all brokers agree on", len(on.Partitions)), func(ctx context.Context) error {
		return admin.Agreed(ctx, on.Field, on.Partitions)
	})
	return nil
}
