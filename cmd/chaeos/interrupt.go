package main

import (
	"context"
	"errors"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// interruptible cancels the context at the first signal, so that the run heals, tears down and reports what there is,
// and ends the process at the second. Children die with it: the keeper sees its pipe close, workers are killed by the
// kernel. Stop gives the signals back.
func (a *app) interruptible(parent context.Context, terminal harness.Terminal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, release := a.notify()
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		terminal.Note("interrupted: healing and tearing down (once more to leave at once)")
		cancel(errInterrupted)
		select {
		case <-signals:
			closeSoon(terminal)
			a.quit(exitInconclusive)
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		release()
		cancel(nil) // frees the context; its cause stays what it was
	}
}

// closeWithin bounds how long a leaving process waits for a terminal that may not take any more.
const closeWithin = 300 * time.Millisecond

func closeSoon(terminal harness.Terminal) {
	closed := make(chan struct{})
	go func() {
		terminal.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeWithin):
	}
}

func wasInterrupted(err error) bool { return errors.Is(err, errInterrupted) }
