package harness

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
)

// watchEvery is how often the run looks for brokers that ended without being told to.
const watchEvery = time.Second

// watch records brokers that die unplanned, each death once, until the returned function is called.
func (r *run) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		dead := map[int]bool{}
		_ = wait.Poll(ctx, watchEvery, func() (bool, error) { // ends with the context, which is no error
			r.lookAtNodes(ctx, dead)
			return false, nil
		})
	})
	return func() {
		cancel()
		watcher.Wait()
	}
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
	for _, n := range nodes {
		if n.Unplanned && !dead[n.Node] {
			r.incident(fmt.Errorf("broker %d died unplanned: %s", n.Node, n.Reason))
		}
		dead[n.Node] = n.Unplanned
	}
}
