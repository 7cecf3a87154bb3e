package main

import (
	"context"
	"errors"
	"time"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/chaeos/chaeos/harness"
)

// terminal is where a command shows how it goes: always stderr, so that stdout has only the report.
func (a *app) terminal() harness.Terminal { return terminal.New(a.stderr, a.live) }

// interruptible cancels the context at the first signal, so that the run heals, tears down and reports what there is,
// and ends the process at the second. Children die with it: the keeper sees its pipe close, workers are killed by the
// kernel. Stop gives the signals back.
func (a *app) interruptible(parent context.Context, term harness.Terminal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, release := a.notify()
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		term.Note("interrupted: healing and tearing down (once more to leave at once)")
		cancel(errInterrupted)
		select {
		case <-signals:
			closeSoon(term)
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

func closeSoon(term harness.Terminal) {
	closed := make(chan struct{})
	go func() {
		term.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeWithin):
	}
}

func wasInterrupted(err error) bool { return errors.Is(err, errInterrupted) }
