package workloads

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// membership is what the group gave the client.
type membership struct {
	mu         sync.Mutex
	partitions map[int32]bool
	// synced is what the last SyncGroup response gave: all that is held in its generation. Nil where nobody looked yet.
	synced []int32
}

// reader tells what SyncGroup responses give. A transaction session tells of one revocation and is silent about those that
// follow before its next transaction ends (franz-go 1.22.3, GroupTransactSession): without this they would go unnoticed.
// Where brokers share partitions out (KIP-848) there is no such response.
type reader struct {
	kgo.GroupBalancer
	c *client
}

// ParseSyncAssignment implements kgo.GroupBalancer.
func (r reader) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	m, err := r.GroupBalancer.ParseSyncAssignment(assignment)
	if err == nil {
		r.c.held.mu.Lock()
		r.c.held.synced = append([]int32{}, m[r.c.w.spec.Input]...)
		r.c.held.mu.Unlock()
	}
	return m, err
}

// untold are the partitions that were given before and that the last SyncGroup response does not give any more.
func (m *membership) untold() (gone []int32) {
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

// membershipOptions record what the group gives and takes.
func (c *client) membershipOptions(ctx context.Context, beforeRevoke func(context.Context, *client)) []kgo.Opt {
	return []kgo.Opt{
		kgo.OnPartitionsAssigned(func(_ context.Context, cl *kgo.Client, m map[string][]int32) {
			c.taken(c.held.untold(), false)
			_, generation := cl.GroupMetadata()
			c.given(generation, m[c.w.spec.Input])
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, m map[string][]int32) {
			if beforeRevoke != nil {
				<-c.opened
				beforeRevoke(ctx, c) // not the callback's context: the group's is done when the client leaves
			}
			c.taken(m[c.w.spec.Input], false)
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, m map[string][]int32) {
			c.taken(m[c.w.spec.Input], true)
		}),
	}
}

// balancer is the group's assignor, read along where members share partitions out.
func (c *client) balancer() kgo.GroupBalancer {
	own := assignor(c.w.spec)
	if c.w.spec.option(optProtocol) == "consumer" { // the client asks for that by its own assignors only
		return own
	}
	return reader{own, c}
}

func (c *client) given(generation int32, partitions []int32) {
	c.note(&history.Assigned{At: history.Now(), Generation: generation, Partitions: partitions})
	c.change(func(held map[int32]bool) {
		for _, p := range partitions {
			held[p] = true
		}
	})
}

func (c *client) taken(partitions []int32, lost bool) {
	if len(partitions) == 0 {
		return
	}
	c.note(&history.Revoked{At: history.Now(), Lost: lost, Partitions: partitions})
	c.mu.Lock()
	for _, p := range partitions {
		delete(c.positions, p)
	}
	c.mu.Unlock()
	c.change(func(held map[int32]bool) {
		for _, p := range partitions {
			delete(held, p)
		}
	})
}

// note writes an entry from a group callback. The writer keeps its error, so the loop's next entry fails with it.
func (c *client) note(e history.Entry) {
	if err := c.w.record(e); err != nil {
		slog.Error("history", "err", err)
	}
}

// change updates the held partitions and tells the harness the whole set.
func (c *client) change(update func(map[int32]bool)) {
	c.held.mu.Lock()
	defer c.held.mu.Unlock()
	if c.held.partitions == nil {
		c.held.partitions = map[int32]bool{}
	}
	update(c.held.partitions)
	c.w.tell.tell(event{Event: evAssigned, Partitions: slices.Sorted(maps.Keys(c.held.partitions))})
}
