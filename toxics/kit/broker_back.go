package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/target"
)

// startWithin bounds the heal of one node: it starts, or goes on, or another fault is starting it.
const startWithin = 40 * time.Second

// StateOf asks for a node's state.
func StateOf(ctx context.Context, c harness.Cluster, node int) (harness.NodeState, error) {
	all, err := c.Status(ctx)
	if err != nil {
		return "", fmt.Errorf("state of broker %d: %w", node, err)
	}
	for _, s := range all {
		if s.Node == node {
			return s.State, nil
		}
	}
	return "", fmt.Errorf("state of broker %d: the cluster has no such node", node)
}

// StartAgain starts a node if it is stopped, and waits until it takes part again.
func StartAgain(ctx context.Context, f *harness.Field, node int) error {
	state, err := StateOf(ctx, f.Cluster, node)
	if err != nil {
		return err
	}
	if state == harness.NodeStopped {
		if err := f.Cluster.Start(ctx, node); err != nil {
			return fmt.Errorf("start broker %d again: %w", node, err)
		}
	}
	return AwaitBack(ctx, f, node)
}

// AwaitBack waits until a node that was started takes part again.
func AwaitBack(ctx context.Context, f *harness.Field, node int) error {
	if !slices.Contains(f.Cluster.Info().Nodes, node) {
		return awaitVoter(ctx, f, node)
	}
	return awaitBroker(ctx, f, node)
}

// awaitVoter waits until a controller that keeps no records follows the quorum's leader again, or leads it. Clients don't
// reach it, so the leader is asked, through the brokers, when it last heard of it.
func awaitVoter(ctx context.Context, f *harness.Field, node int) error {
	began := time.Now().UnixMilli() // the leader answers by the wall clock, which is the same machine's
	err := admin.Until(ctx, func() error {
		quorum, err := f.Brokers().Quorum(ctx)
		if err == nil && !quorum.HeardSince(node, began) {
			err = errors.New("the quorum's leader has not heard of it")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("controller %d did not come back: %w", node, err)
	}
	return nil
}

// awaitBroker waits until the node answers and is in its own metadata: then the controller has let it in again.
func awaitBroker(ctx context.Context, f *harness.Field, node int) error {
	err := admin.Until(ctx, func() error {
		md, err := f.Brokers().Only(node).Metadata(ctx, target.TopicsOf(f.Plan)...)
		if err == nil && !slices.Contains(md.Brokers, node) {
			err = fmt.Errorf("it knows brokers %v only", md.Brokers)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("broker %d did not come back: %w", node, err)
	}
	return nil
}
