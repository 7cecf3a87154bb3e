package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// autoCommits is the client's automatic committing around a loop.
type autoCommits struct {
	// returned are the positions before the last poll: what an automatic commit may commit, unless it is greedy.
	returned positions
}

// commitReturned does what kgo does by default before partitions leave: commit what polls before the last one returned.
func (a *autoCommits) commitReturned(ctx context.Context, c *client) {
	already := c.kafka.CommittedOffsets()[c.w.spec.Input]
	next := map[int32]kgo.EpochOffset{}
	held := c.position()
	for p, at := range a.returned.get() {
		if _, ours := held[p]; ours && already[p].Offset != at.Offset {
			next[p] = at
		}
	}
	_, err := c.commitPositions(ctx, next)
	logged(err)
}

// commitAll commits everything that polls returned.
func (a *autoCommits) commitAll(ctx context.Context, c *client) error {
	a.returned.set(c.position())
	_, err := c.commitPositions(ctx, c.position())
	return err
}
