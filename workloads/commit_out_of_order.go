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
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// Every slowEvery-th record of a partition takes slowWork on top of its ordinary work: some always do.
const (
	slowEvery = 40
	slowWork  = 150 * time.Millisecond
)

// commitOutOfOrder hands records to a pool and commits, each interval, the highest offset that the pool has finished.
//
// It claims at-least-once, because it commits only what is finished. The claim breaks because a committed offset means
// "everything below is done": the commit overtakes a slow record below the highest finished one, which is lost if the
// worker then dies.
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
			Phases: []string{phase.Polled, phase.Committing, phase.Committed},
		},
		work:    commitOutOfOrderLoop,
		options: worker.GroupOptions(),
		loop: `poll
-- polled --
put the records into a queue
  2 goroutines: take, work, produce; stored: finished[partition] = max(finished, offset)
each interval, meanwhile:
  -- committing --
  commit finished + 1 of each partition
  -- committed --                              where it overtook unfinished records`,
		breaksWhen: "it dies after a commit that overtook a slower record",
		cost:       "none while nothing dies",
	}
}

func commitOutOfOrderLoop(ctx context.Context, w *worker.Worker) (err error) {
	p, f := worker.NewPool(w), &finished{at: map[int32]kgo.EpochOffset{}}
	p.Done = f.done
	p.Worked = func(ctx context.Context, in worker.Input) error {
		if in.Offset%slowEvery != slowEvery/2 {
			return nil
		}
		return wait.Sleep(ctx, slowWork)
	}
	c, err := w.Open(ctx, worker.Opening{Options: []kgo.Opt{kgo.DisableAutoCommit()}, BeforeRevoke: func(ctx context.Context, c *worker.Client) {
		member.Logged(f.commit(ctx, c, p))
	}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	committing, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- wait.Poll(committing, w.Spec.Shared.AutoCommitInterval, func() (bool, error) { return false, f.commit(ctx, c, p) })
	}()
	err = p.Run(ctx, c)
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

func (f *finished) done(in worker.Input, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && in.Offset >= f.at[in.Partition].Offset {
		f.at[in.Partition] = kgo.EpochOffset{Epoch: in.Epoch, Offset: in.Offset + 1}
	}
}

// commit commits what is finished in the assigned partitions.
func (f *finished) commit(ctx context.Context, c *worker.Client, p *worker.Pool) error {
	assigned := c.Position()
	f.mu.Lock()
	maps.DeleteFunc(f.at, func(partition int32, _ kgo.EpochOffset) bool { _, ours := assigned[partition]; return !ours })
	next := maps.Clone(f.at)
	f.mu.Unlock()
	got, err := c.CommitOffsets(ctx, next)
	if err == nil {
		p.Committed(ctx, c, got)
	}
	return err
}
