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

// watchEvery is how often the run looks for brokers that ended by themselves.
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

var errBrokerDied = errors.New("a broker died unplanned, and no fault starts it again")

func (r *run) lostBroker() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

// lostAfter is how long the cluster's keeper, or its container engine, may be silent before the run is given up.
const lostAfter = 5 * time.Second

// errClusterLost is the error of a run whose cluster does not answer any more: nothing can be healed, drained or read back.
var errClusterLost = errors.New("the cluster is lost: what keeps it has not answered for " + lostAfter.String())

// keeperSilent notes that what keeps the cluster, its keeper or the container engine, did not answer, and gives the run up
// if that lasts.
func (r *run) keeperSilent(err error, dead map[int]bool) {
	if !dead[0] { // node 0 is what keeps the cluster
		dead[0] = true
		r.incident(fmt.Errorf("what keeps the cluster does not answer: %w", err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.silentSince.IsZero() {
		r.silentSince = time.Now()
	}
	if time.Since(r.silentSince) >= lostAfter {
		r.giveUp()
	}
}

// clusterLost returns why the cluster is given up, or nil.
func (r *run) clusterLost() error {
	select {
	case <-r.lost:
		return errClusterLost
	default:
		return nil
	}
}

func (r *run) lookAtNodes(ctx context.Context, dead map[int]bool) {
	nodes, err := r.cluster.Status(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.keeperSilent(err, dead)
		}
		return
	}
	died := slices.ContainsFunc(nodes, func(n NodeStatus) bool { return n.Unplanned })
	r.mu.Lock()
	r.silentSince = time.Time{}
	r.died = died // a fault may start the broker again
	r.mu.Unlock()
	for _, n := range nodes {
		if n.Unplanned && !dead[n.Node] {
			r.incident(fmt.Errorf("broker %d died unplanned: %s", n.Node, n.Reason))
		}
		dead[n.Node] = n.Unplanned
	}
}
