package readback

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

// leaders remembers which broker leads which partition, and asks again after a partition moved.
type leaders struct {
	brokers ask.Brokers
	topics  []string

	mu    sync.Mutex
	known map[ask.TopicPartition]ask.Leader
}

// of returns the leader of a partition, asking the brokers where it isn't known.
func (l *leaders) of(ctx context.Context, tp ask.TopicPartition) (ask.Leader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if leader, ok := l.known[tp]; ok {
		return leader, nil
	}
	found, err := l.brokers.Leaders(ctx, l.topics...)
	if err != nil {
		return ask.Leader{}, err
	}
	l.known = found
	leader, ok := found[tp]
	if !ok {
		return leader, fmt.Errorf("%s has no leader", tp)
	}
	return leader, nil
}

// forget makes the next question about a partition go to the brokers.
func (l *leaders) forget(tp ask.TopicPartition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, tp)
}

// ask calls do with the partition's leader until it succeeds, for as long as patience lasts. After each error it looks the
// leader up again.
func (l *leaders) ask(ctx context.Context, tp ask.TopicPartition, do func(ask.Leader) error) error {
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
