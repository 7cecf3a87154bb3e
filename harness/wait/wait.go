// Package wait is the one place of the project that lets time pass: both its functions end with their context.
package wait

import (
	"context"
	"time"
)

// Sleep returns nil after d, or the context's cause as soon as it is done.
func Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Poll calls try at once, and then at the given interval until it is done or fails, and returns its error; or the context's
// cause if the context ends first. Try is never called again after the context ended.
func Poll(ctx context.Context, every time.Duration, try func() (done bool, err error)) error {
	for {
		done, err := try()
		if done || err != nil {
			return err
		}
		if err := Sleep(ctx, every); err != nil {
			return err
		}
	}
}
