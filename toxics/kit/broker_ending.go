package kit

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// StopNode stops a node in order, and kills it once its time is over: without a controller, a broker waits minutes for an
// answer to its farewell.
func StopNode(ctx context.Context, c harness.Cluster, node int, within time.Duration) error {
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
	HowStop = "stop"
	HowKill = "kill"
)

// Restart is what faults that restart brokers have in common: how each one ends.
type Restart struct {
	How string
	// Within is how long a broker may take to stop before it is killed.
	Within time.Duration
}

// RestartNode ends a node and starts it. It returns when the process runs; the broker is back later.
func (r Restart) RestartNode(ctx context.Context, c harness.Cluster, node int) error {
	end := c.Kill
	if r.How == HowStop {
		end = func(ctx context.Context, node int) error { return StopNode(ctx, c, node, r.Within) }
	}
	if err := end(ctx, node); err != nil {
		return err
	}
	return c.Start(ctx, node)
}
