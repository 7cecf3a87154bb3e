package toxics

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// stopNode ends a node in order, by force once its time is over: without a controller a broker waits minutes for an
// answer to its farewell.
func stopNode(ctx context.Context, c harness.Cluster, node int, within time.Duration) error {
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := c.Stop(bounded, node)
	if err == nil || ctx.Err() != nil || bounded.Err() == nil {
		return err
	}
	return c.Kill(ctx, node)
}

// The ways to end a broker.
const (
	howStop = "stop"
	howKill = "kill"
)

// restart is what faults that restart brokers have in common: how each is ended.
type restart struct {
	how string
	// within is how long a broker may take to stop before it is killed.
	within time.Duration
}

// one ends a node and starts it; it returns when the process runs, not when the broker is back.
func (r restart) one(ctx context.Context, c harness.Cluster, node int) error {
	end := c.Kill
	if r.how == howStop {
		end = func(ctx context.Context, node int) error { return stopNode(ctx, c, node, r.within) }
	}
	if err := end(ctx, node); err != nil {
		return err
	}
	return c.Start(ctx, node)
}
