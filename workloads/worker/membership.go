package worker

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// membership is what the group assigned to the client.
type membership struct {
	mu         sync.Mutex
	partitions map[int32]bool
	// synced is the assignment in the last SyncGroup response: all partitions of its generation. Nil before the first.
	synced []int32
}

// syncReader is a balancer that also reads the assignment in SyncGroup responses. A transaction session reports one
// revocation, and is silent about those that follow before its next transaction ends (franz-go 1.22.3,
// GroupTransactSession): without this they would go unnoticed. Where brokers assign (KIP-848) there is no such response.
type syncReader struct {
	kgo.GroupBalancer
	c *Client
}

// ParseSyncAssignment implements kgo.GroupBalancer.
func (r syncReader) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	m, err := r.GroupBalancer.ParseSyncAssignment(assignment)
	if err == nil {
		r.c.assigned.mu.Lock()
		r.c.assigned.synced = append([]int32{}, m[r.c.Spec.Input]...)
		r.c.assigned.mu.Unlock()
	}
	return m, err
}

// unreported are the assigned partitions that the last SyncGroup response no longer has.
func (m *membership) unreported() (gone []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p := range m.partitions {
		if m.synced != nil && !slices.Contains(m.synced, p) {
			gone = append(gone, p)
		}
	}
	slices.Sort(gone)
	return gone
}

// membershipOptions record what the group assigns and revokes.
func (c *Client) membershipOptions(ctx context.Context, beforeRevoke func(context.Context, *Client)) []kgo.Opt {
	return []kgo.Opt{
		kgo.OnPartitionsAssigned(func(_ context.Context, cl *kgo.Client, m map[string][]int32) {
			c.onRevoked(c.assigned.unreported(), false)
			_, generation := cl.GroupMetadata()
			c.onAssigned(generation, m[c.Spec.Input])
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, m map[string][]int32) {
			if beforeRevoke != nil {
				<-c.opened
				beforeRevoke(ctx, c) // not the callback's context: the group's is done when the client leaves
			}
			c.onRevoked(m[c.Spec.Input], false)
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, m map[string][]int32) {
			c.onRevoked(m[c.Spec.Input], true)
		}),
	}
}

// balancer is the group's assignor. Where members assign, it also reads what they are assigned.
func (c *Client) balancer() kgo.GroupBalancer {
	own := assignor(c.Spec)
	if c.Spec.Option(OptionProtocol) == "consumer" { // kgo recognises only its own assignors there
		return own
	}
	return syncReader{own, c}
}

func (c *Client) onAssigned(generation int32, partitions []int32) {
	c.note(&history.Assigned{Stamp: history.AtNow(), Generation: generation, Partitions: partitions})
	c.change(func(assigned map[int32]bool) {
		for _, p := range partitions {
			assigned[p] = true
		}
	})
}

func (c *Client) onRevoked(partitions []int32, lost bool) {
	if len(partitions) == 0 {
		return
	}
	c.note(&history.Revoked{Stamp: history.AtNow(), Lost: lost, Partitions: partitions})
	c.forget(partitions)
	c.change(func(assigned map[int32]bool) {
		for _, p := range partitions {
			delete(assigned, p)
		}
	})
}

// note writes an entry from a group callback. The writer keeps its error, so the loop's next entry fails with it.
func (c *Client) note(e history.Entry) {
	if err := c.Record(e); err != nil {
		slog.Error("history", "err", err)
	}
}

// change updates the assigned partitions and tells the harness all of them.
func (c *Client) change(update func(map[int32]bool)) {
	c.assigned.mu.Lock()
	defer c.assigned.mu.Unlock()
	if c.assigned.partitions == nil {
		c.assigned.partitions = map[int32]bool{}
	}
	update(c.assigned.partitions)
	c.Tell.Tell(protocol.Event{Event: protocol.Assigned, Partitions: slices.Sorted(maps.Keys(c.assigned.partitions))})
}
