package worker

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/member"
)

// AutoCommits is what a loop does around the client's automatic commits.
type AutoCommits struct {
	mu sync.Mutex
	// returned are the positions before the last poll: what an automatic commit may commit, unless it is greedy.
	returned map[int32]kgo.EpochOffset
}

// BeforePoll notes the position before a poll: everything below it is finished, or so the client assumes.
func (a *AutoCommits) BeforePoll(c *Client) {
	at := c.Position()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returned = at
}

// CommitReturned does what kgo does by default before partitions leave: it commits what polls before the last one
// returned.
func (a *AutoCommits) CommitReturned(ctx context.Context, c *Client) {
	already := c.kafka.CommittedOffsets()[c.Spec.Input]
	next := map[int32]kgo.EpochOffset{}
	assigned := c.Position()
	a.mu.Lock()
	for p, at := range a.returned {
		if _, ours := assigned[p]; ours && already[p].Offset != at.Offset {
			next[p] = at
		}
	}
	a.mu.Unlock()
	_, err := c.CommitOffsets(ctx, next)
	member.Logged(err)
}

// CommitAll commits everything that polls returned.
func (a *AutoCommits) CommitAll(ctx context.Context, c *Client) error {
	a.BeforePoll(c)
	_, err := c.CommitOffsets(ctx, c.Position())
	return err
}
