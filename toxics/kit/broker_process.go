package kit

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/toxics/inject"
)

// BrokerProcess is a node's process; a controller that keeps no records counts as a broker.
func BrokerProcess(f *harness.Field, node int) *inject.Process[harness.NodeState] {
	return &inject.Process[harness.NodeState]{
		Name: calledNode(f, node), Claims: claims.Of[harness.NodeState](f.Claims, "node"), Key: fmt.Sprint(node),
		Running: harness.NodeRunning, Within: startWithin,
		State: func(ctx context.Context) (harness.NodeState, error) { return StateOf(ctx, f.Cluster, node) },
		Bring: func(ctx context.Context, want harness.NodeState) error { return bringBroker(ctx, f, node, want) },
	}
}

// calledNode is what people call a node. A controller that keeps no records is no broker to them.
func calledNode(f *harness.Field, node int) string {
	if slices.Contains(f.Cluster.Info().Nodes, node) {
		return fmt.Sprintf("broker %d", node)
	}
	return fmt.Sprintf("controller %d", node)
}

// bringBroker pauses a broker's process, or stops it. A dead one is started, and back, before it is paused.
func bringBroker(ctx context.Context, f *harness.Field, node int, want harness.NodeState) error {
	state, err := StateOf(ctx, f.Cluster, node)
	switch {
	case err != nil || state == want:
		return err
	case want == harness.NodeStopped:
		return f.Cluster.Kill(ctx, node)
	case state == harness.NodeStopped:
		if err := StartAgain(ctx, f, node); err != nil {
			return err
		}
	}
	return f.Cluster.Pause(ctx, node)
}
