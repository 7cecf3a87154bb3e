package suite

import (
	"context"
	"errors"
	"sync"
)

// ErrInterrupted is what Do returns for a run that was cut short: it is not entered into the book.
var ErrInterrupted = errors.New("the run was interrupted")

// Doing is how a suite does its runs.
type Doing struct {
	// Jobs is how many runs there are at a time.
	Jobs int
	// Do does one run. Its error is ErrInterrupted, or nil: what went wrong in a run is in its result.
	Do func(context.Context, Item) (Result, error)
	// Begin and End are called when a run begins and has ended, by several goroutines.
	Begin func(Item)
	End   func(Result)
}

// Run does the items that are left, at most Jobs at a time, and enters each into the book as it ends. When ctx is done no
// further run begins, and the error is the context's cause; a book that can't be written ends the suite too.
func (b *Book) Run(ctx context.Context, d Doing) error {
	left := make(chan Item)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range max(d.Jobs, 1) {
		workers.Go(func() {
			for item := range left {
				if err := b.one(ctx, d, item); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	feed(ctx, left, b.Left())
	workers.Wait()
	return context.Cause(ctx)
}

func feed(ctx context.Context, to chan<- Item, items []Item) {
	defer close(to)
	for _, item := range items {
		if ctx.Err() != nil {
			return
		}
		select {
		case to <- item:
		case <-ctx.Done():
			return
		}
	}
}

func (b *Book) one(ctx context.Context, d Doing, item Item) error {
	d.Begin(item)
	result, err := d.Do(ctx, item)
	if errors.Is(err, ErrInterrupted) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	d.End(result)
	return b.enter(result)
}
