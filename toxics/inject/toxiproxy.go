package inject

import (
	"context"
	"fmt"
	"time"
)

// Bounds on one call to Toxiproxy. Removing a toxic on a link whose peer doesn't read blocks until the peer reads again.
const (
	AddWithin    = 5 * time.Second
	RemoveWithin = 20 * time.Second
)

// Bounded runs a call of Toxiproxy's client, which has no contexts, and stops waiting for it when ctx ends. The channel is
// closed when the call has returned; its HTTP client gives up after 30 s.
func Bounded(ctx context.Context, call func() error) (<-chan struct{}, error) {
	done, result := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		result <- call()
	}()
	select {
	case err := <-result:
		return done, err
	case <-ctx.Done():
		return done, fmt.Errorf("no answer from Toxiproxy: %w", context.Cause(ctx))
	}
}
