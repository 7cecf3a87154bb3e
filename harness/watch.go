package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
)

// watchEvery is how often the run looks for brokers that ended without being told to.
const watchEvery = time.Second

// lastLookWithin bounds the look at the end of the watch.
const lastLookWithin = 5 * time.Second

// watch records brokers that die unplanned, each death once, until the returned function is called, which looks a last
// time.
func (r *run) watch(ctx context.Context) (stop func()) {
	watching, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	dead := map[int]bool{}
	watcher.Go(func() {
		_ = wait.Poll(watching, watchEvery, func() (bool, error) { // ends with the context, which is no error
			r.lookAtNodes(watching, dead)
			return false, nil
		})
	})
	return func() {
		cancel()
		watcher.Wait()
		last, done := context.WithTimeout(ctx, lastLookWithin)
		defer done()
		r.lookAtNodes(last, dead)
	}
}

var errBrokerDied = errors.New("a broker died unplanned and nobody starts it again")

func (r *run) lostBroker() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

func (r *run) lookAtNodes(ctx context.Context, dead map[int]bool) {
	nodes, err := r.cluster.Status(ctx)
	if err != nil {
		if ctx.Err() == nil && !dead[0] {
			dead[0] = true // node 0 stands for whatever keeps the cluster
			r.incident(fmt.Errorf("the cluster's keeper does not answer: %w", err))
		}
		return
	}
	died := slices.ContainsFunc(nodes, func(n NodeStatus) bool { return n.Unplanned })
	r.mu.Lock()
	r.died = died // a fault that starts the broker again mends it
	r.mu.Unlock()
	for _, n := range nodes {
		if n.Unplanned && !dead[n.Node] {
			r.incident(fmt.Errorf("broker %d died unplanned: %s", n.Node, n.Reason))
		}
		dead[n.Node] = n.Unplanned
	}
}
