package inject

import (
	"context"
	"fmt"
	"sync"
)

// background is work that goes on while a fault is active.
type background struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
	err     error
}

// Keep starts work that ends by itself or when the fault is healed. Cancelling ctx does not end it, for a fault outlives its
// injection. If the work fails, the first heal fails.
func (i *Injection) Keep(ctx context.Context, work func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchAtMost)
	b := &background{cancel: cancel}
	i.background = b
	b.running.Go(func() {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			b.err = fmt.Errorf("while the fault was active: %w", err)
		}
	})
}

// Wait returns once the work that Keep started has ended by itself.
func (i *Injection) Wait() {
	if i.background != nil {
		i.background.running.Wait()
	}
}

// stop ends the work, waits for its end, and returns what went wrong before. There may be none.
func (b *background) stop() error {
	if b == nil {
		return nil
	}
	b.cancel()
	b.running.Wait()
	return b.err
}
