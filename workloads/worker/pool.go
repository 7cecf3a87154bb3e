package worker

import (
	"context"
	"sync"
)

const (
	poolSize  = 2
	poolQueue = 4000
)

// Pool hands polled records through a queue to a few goroutines that don't wait for what they produce.
type Pool struct {
	Unfinished
	// BeforePoll runs before each poll, Worked after a record's work and before its output is produced.
	BeforePoll func(*Client)
	Worked     func(context.Context, Input) error
	// Done is each output's promise.
	Done  func(Input, error)
	queue chan Input
}

// NewPool makes a pool whose functions do nothing.
func NewPool(w *Worker) *Pool {
	return &Pool{
		Unfinished: Unfinished{gates: w.Gates}, queue: make(chan Input, poolQueue), BeforePoll: func(*Client) {},
		Worked: func(context.Context, Input) error { return nil }, Done: func(Input, error) {},
	}
}

// Run polls and works until the worker must stop, and then finishes what it has taken.
func (p *Pool) Run(ctx context.Context, c *Client) error {
	var workers sync.WaitGroup
	for range poolSize {
		workers.Go(func() { p.process(ctx, c) })
	}
	err := p.fill(ctx, c)
	close(p.queue)
	workers.Wait()
	if err == nil {
		err = c.Flush(ctx)
	}
	return err
}

// fill polls and queues until the worker must stop.
func (p *Pool) fill(ctx context.Context, c *Client) error {
	for c.Stopping.Err() == nil {
		p.BeforePoll(c)
		inputs, err := c.Poll(ctx)
		if err != nil {
			return err
		}
		p.Took(inputs)
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
func (p *Pool) process(ctx context.Context, c *Client) {
	for in := range p.queue {
		if c.Work(ctx) != nil || p.Worked(ctx, in) != nil {
			return
		}
		p.Produce(ctx, c, in, p.Done)
	}
}
