package member

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// progressEvery is how often a process tells its progress.
const progressEvery = 100 * time.Millisecond

// work runs the program and tells its progress, a last time when it has ended.
func (c *control) work(ctx context.Context) error {
	telling, stop := context.WithCancel(ctx)
	defer func() { c.Tell.Tell(protocol.Event{Event: protocol.Progress, Counters: c.program.Counters()}) }()
	defer stop()
	go c.tellProgress(telling)
	return c.program.Run(ctx)
}

func (c *control) tellProgress(ctx context.Context) {
	var last protocol.Counters
	_ = wait.Poll(ctx, progressEvery, func() (bool, error) { // it ends with its context only
		if now := c.program.Counters(); now != last {
			c.Tell.Tell(protocol.Event{Event: protocol.Progress, Counters: now})
			last = now
		}
		return false, nil
	})
}
