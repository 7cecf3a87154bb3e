package toxics

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
)

func brokerProcess(f *harness.Field, node int) *process[harness.NodeState] {
	return &process[harness.NodeState]{
		name: calledNode(f, node), claims: claims.Of[harness.NodeState](f.Claims, "node"), key: fmt.Sprint(node), running: harness.NodeRunning, within: startWithin,
		state: func(ctx context.Context) (harness.NodeState, error) { return stateOf(ctx, f.Cluster, node) },
		bring: func(ctx context.Context, want harness.NodeState) error { return bringBroker(ctx, f, node, want) },
	}
}

// calledNode is what people call a node: a controller that keeps no records is no broker.
func calledNode(f *harness.Field, node int) string {
	if slices.Contains(f.Cluster.Info().Nodes, node) {
		return fmt.Sprintf("broker %d", node)
	}
	return fmt.Sprintf("controller %d", node)
}

// bringBroker makes a broker's process paused or stopped. A dead one is back before it is paused again.
func bringBroker(ctx context.Context, f *harness.Field, node int, want harness.NodeState) error {
	state, err := stateOf(ctx, f.Cluster, node)
	switch {
	case err != nil || state == want:
		return err
	case want == harness.NodeStopped:
		return f.Cluster.Kill(ctx, node)
	case state == harness.NodeStopped:
		if err := startAgain(ctx, f, node); err != nil {
			return err
		}
	}
	return f.Cluster.Pause(ctx, node)
}

// expectNodes: once healed, the brokers run, unless another fault has them.
func expectNodes(i *injection, brokers []int) {
	for _, b := range brokers {
		i.expect(calledNode(i.field, b)+" runs", brokerProcess(i.field, b).healed)
	}
}
