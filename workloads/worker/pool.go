package workloads

import (
	"context"
	"sync"
)

const (
	poolSize  = 2
	poolQueue = 4000
)

// pool hands polled records through a queue to a few goroutines that don't wait for what they produce.
type pool struct {
	unfinished
	queue chan input
	// beforePoll runs before each poll, worked after a record's work and before its output is produced.
	beforePoll func(*client)
	worked     func(context.Context, input) error
	// done is each output's promise.
	done func(input, error)
}

func newPool(w *worker) *pool {
	return &pool{
		unfinished: unfinished{w: w}, queue: make(chan input, poolQueue), beforePoll: func(*client) {},
		worked: func(context.Context, input) error { return nil }, done: func(input, error) {},
	}
}

// run polls and works until the worker must stop, and then finishes what it has taken.
func (p *pool) run(ctx context.Context, c *client) error {
	var workers sync.WaitGroup
	for range poolSize {
		workers.Go(func() { p.process(ctx, c) })
	}
	err := p.fill(ctx, c)
	close(p.queue)
	workers.Wait()
	if err == nil {
		err = c.flush(ctx)
	}
	return err
}

// fill polls and queues until the worker must stop.
func (p *pool) fill(ctx context.Context, c *client) error {
	for p.w.stopping.Err() == nil {
		p.beforePoll(c)
		inputs, err := c.poll(ctx)
		if err != nil {
			return err
		}
		p.took(inputs)
		for _, in := range inputs {
			select {
			case p.queue <- in:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// process is one goroutine of the pool.
func (p *pool) process(ctx context.Context, c *client) {
	for in := range p.queue {
		if p.w.work(ctx) != nil || p.worked(ctx, in) != nil {
			return
		}
		p.produce(ctx, c, in, p.done)
	}
}
