package target

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// View is which node does what in the cluster at one moment.
type View struct {
	plan  harness.TopicPlan
	Nodes []int
	// Topics are the newest states that any broker knows, by topic and partition.
	Topics map[string]map[int32]ask.PartitionState
	// Controller is 0 if no broker knew it.
	Controller    int
	controllerErr error
	// groups and transactions are the coordinators of each pipeline's group and transactional ids; coordinatorErr says why
	// some are missing.
	groups, transactions map[string]int
	coordinatorErr       error
	// draw chooses among what a random target selects.
	draw uint64
}

// Look asks the brokers. Those that don't answer in time are left out: another fault may have hit them.
func Look(ctx context.Context, f *harness.Field) (View, error) {
	v := View{plan: f.Plan, Nodes: f.Cluster.Info().Nodes, groups: map[string]int{}, transactions: map[string]int{}, draw: drawOf(f)}
	md, answered, err := f.Brokers().Newest(ctx, append(TopicsOf(f.Plan), OffsetsTopic, TransactionsTopic)...)
	if errors.Is(err, ask.ErrUnknownTopics) && len(TopicsOf(f.Plan)) == 0 {
		err = nil // a cluster that was just brought up has no topic, not even the internal ones
	}
	if err != nil {
		return View{}, fmt.Errorf("who leads what: %w", err)
	}
	v.Topics = md.Topics
	brokers := f.Brokers().Only(answered...)
	v.Controller, v.controllerErr = brokers.Controller(ctx)
	find := func(into map[string]int, pipeline string, kind ask.CoordinatorKind, key string) {
		node, err := brokers.Coordinator(ctx, kind, key)
		if err != nil { // matters to targets that ask for it only
			v.coordinatorErr = errors.Join(v.coordinatorErr, err)
			return
		}
		into[pipeline] = node
	}
	for _, l := range f.Plan.Pipelines {
		if l.Group != "" {
			find(v.groups, l.Name, ask.GroupCoordinator, l.Group)
		}
		if len(l.TransactionalIDs) > 0 {
			find(v.transactions, l.Name, ask.TransactionCoordinator, l.TransactionalIDs[0])
		}
	}
	return v, nil
}

// drawOf draws a number from the fault's own source of randomness.
func drawOf(f *harness.Field) uint64 {
	if f.Rand == nil {
		return 0
	}
	return f.Rand.Uint64()
}
