package readback

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
)

// leaders remembers who leads what, and asks again after a partition moved.
type leaders struct {
	client *kgo.Client
	nodes  []int
	topics []string

	mu    sync.Mutex
	known map[brokers.TP]brokers.Leader
}

// of returns the leader of a partition, asking the brokers when it isn't known.
func (l *leaders) of(ctx context.Context, tp brokers.TP) (brokers.Leader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if leader, ok := l.known[tp]; ok {
		return leader, nil
	}
	found, err := brokers.Leaders(ctx, l.client, l.nodes, l.topics)
	if err != nil {
		return brokers.Leader{}, err
	}
	l.known = found
	leader, ok := found[tp]
	if !ok {
		return leader, fmt.Errorf("%s has no leader", tp)
	}
	return leader, nil
}

// forget makes the next question about a partition go to the brokers.
func (l *leaders) forget(tp brokers.TP) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, tp)
}

// ask calls do with the partition's leader until it succeeds, learning the leader anew after each error, for as long as
// patience lasts.
func (l *leaders) ask(ctx context.Context, tp brokers.TP, do func(brokers.Leader) error) error {
	until := time.Now().Add(patience)
	return wait.Poll(ctx, retryEvery, func() (bool, error) {
		leader, err := l.of(ctx, tp)
		if err == nil {
			err = do(leader)
		}
		if err == nil {
			return true, nil
		}
		l.forget(tp)
		if time.Now().After(until) {
			return false, err
		}
		return false, nil
	})
}
