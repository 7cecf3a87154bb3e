package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/target"
)

// startWithin bounds the heal of one node: it starts, or goes on, or waits for another fault's start.
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

// StartAgain starts a stopped node and waits until it answers and another broker knows it again.
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
// reach it: the leader is asked, through the brokers, when it last heard of it.
func awaitVoter(ctx context.Context, f *harness.Field, node int) error {
	began := time.Now().UnixMilli() // by the wall clock, as the leader's answer, on the same machine
	var last error
	err := wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var voters map[int]int64
		if voters, last = harness.QuorumHeard(ctx, f.Admin, f.Cluster.Info().Nodes); last != nil {
			return false, nil
		}
		last = fmt.Errorf("the quorum's leader has not heard of it")
		return voters[node] >= began, nil
	})
	if err != nil {
		return fmt.Errorf("controller %d did not come back: %w", node, errors.Join(err, last))
	}
	return nil
}

// awaitBroker waits until the node answers, and shows itself in its own metadata: the controller has let it in again.
func awaitBroker(ctx context.Context, f *harness.Field, node int) error {
	var last error
	err := wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var md harness.Metadata
		if md, last = harness.AskMetadata(ctx, f.Admin, []int{node}, target.TopicsOf(f.Plan)...); last != nil {
			return false, nil
		}
		for _, b := range md.Brokers {
			if b == node {
				return true, nil
			}
		}
		last = fmt.Errorf("it knows brokers %v only", md.Brokers)
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("broker %d did not come back: %w", node, errors.Join(err, last))
	}
	return nil
}
