package workloads

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// Every slowEvery-th record of a partition takes slowWork beside its ordinary work: some always do.
const (
	slowEvery = 40
	slowWork  = 150 * time.Millisecond
)

// commitOutOfOrder hands records to a pool and commits, each interval, the highest offset that the pool has finished.
//
// It claims at-least-once, because it commits only what is finished. It breaks because a position says "everything below
// is done": a slow record below the highest finished one is passed, and lost when the worker dies then.
func commitOutOfOrder() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:   "commit-out-of-order",
			Claims: harness.AtLeastOnce,
			About:  "a pool whose highest finished offset is committed each interval",
			Deviations: []string{
				"a pool of 2 goroutines works on a queue of at most 4000 records",
				"every 40th record of a partition takes 150 ms longer",
			},
			Phases: []string{PhasePolled, PhaseCommitting, PhaseCommitted},
		},
		work:    commitOutOfOrderLoop,
		options: groupOptionList(),
		loop: `poll
-- polled --
put the records into a queue
  2 goroutines: take, work, produce; stored: finished[partition] = max(finished, offset)
each interval, beside it:
  -- committing --
  commit finished + 1 of each partition
  -- committed --                              where it passed unfinished records`,
		breaksWhen: "it dies after a commit that passed a slower record",
		cost:       "none while nothing dies",
	}
}

func commitOutOfOrderLoop(ctx context.Context, w *worker) (err error) {
	p, f := newPool(w), &finished{at: map[int32]kgo.EpochOffset{}}
	p.done = f.done
	p.worked = func(ctx context.Context, in input) error {
		if in.offset%slowEvery != slowEvery/2 {
			return nil
		}
		return wait.Sleep(ctx, slowWork)
	}
	c, err := w.open(ctx, opening{options: []kgo.Opt{kgo.DisableAutoCommit()}, beforeRevoke: func(ctx context.Context, c *client) {
		logged(f.commit(ctx, c, p))
	}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	committing, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- wait.Poll(committing, w.spec.Shared.AutoCommitInterval, func() (bool, error) { return false, f.commit(ctx, c, p) })
	}()
	err = p.run(ctx, c)
	stop()
	if cerr := <-ended; !errors.Is(cerr, context.Canceled) {
		err = errors.Join(err, cerr)
	}
	if err != nil {
		return err
	}
	return f.commit(ctx, c, p)
}

// finished is the highest finished offset, plus one, of each partition.
type finished struct {
	mu sync.Mutex
	at map[int32]kgo.EpochOffset
}

func (f *finished) done(in input, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && in.offset >= f.at[in.partition].Offset {
		f.at[in.partition] = kgo.EpochOffset{Epoch: in.epoch, Offset: in.offset + 1}
	}
}

// commit commits what is finished of the partitions that are held.
func (f *finished) commit(ctx context.Context, c *client, p *pool) error {
	held := c.position()
	f.mu.Lock()
	maps.DeleteFunc(f.at, func(partition int32, _ kgo.EpochOffset) bool { _, ours := held[partition]; return !ours })
	next := maps.Clone(f.at)
	f.mu.Unlock()
	got, err := c.commitPositions(ctx, next)
	if err == nil {
		p.committed(ctx, c, got)
	}
	return err
}
