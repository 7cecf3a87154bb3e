package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// child is what the program does when it runs itself: it talks to its parent over standard input and output.
type child func(ctx context.Context, in io.Reader, out io.Writer) error

func (a *app) childCommand(name string, do child) *cobra.Command {
	return &cobra.Command{
		Use:    name,
		Hidden: true,
		Args:   noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := a.untilSignal(c.Context())
			defer stop()
			return do(ctx, a.stdin, a.stdout)
		},
	}
}

// untilSignal cancels the context at the first signal, so that a child that must end cleans up.
func (a *app) untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, release := a.notify()
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		release()
		cancel(nil)
	}
}
