package workloads

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
)

// commit commits the positions after inputs and returns when the outcome is known and recorded. A commit that is
// refused or lost is no error: at the next one the positions are past these, or another worker has the partitions.
func (c *client) commit(ctx context.Context, inputs []input) error {
	_, err := c.commitPositions(ctx, after(inputs))
	return err
}

// after are the positions after inputs, by partition.
func after(inputs []input) map[int32]kgo.EpochOffset {
	next := map[int32]kgo.EpochOffset{}
	for _, in := range inputs {
		next[in.partition] = kgo.EpochOffset{Epoch: in.epoch, Offset: in.offset + 1}
	}
	return next
}

// commitPositions is commit, and returns the coordinator's answers.
func (c *client) commitPositions(ctx context.Context, next map[int32]kgo.EpochOffset) (got []answer, err error) {
	if len(next) == 0 {
		return nil, nil
	}
	ctx = kgo.PreCommitFnContext(ctx, c.recordCommitting(ctx))
	offsets := map[string]map[int32]kgo.EpochOffset{c.w.spec.Input: next}
	c.kafka.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, failed error) {
		got = answers(req, resp, failed)
		err = c.recordCommitted(got)
	})
	return got, err
}

// commitAhead commits the positions after inputs that nothing was done with yet, and returns those whose commit was
// confirmed: what is worked on after this is given to nobody again.
func (c *client) commitAhead(ctx context.Context, inputs []input) ([]input, error) {
	got, err := c.commitPositions(ctx, after(inputs))
	if err != nil {
		return nil, err
	}
	inputs = confirmed(inputs, got)
	return inputs, c.w.gates.reach(ctx, PhaseCommitted, len(inputs))
}

// confirmed keeps the inputs whose partitions' commits were confirmed.
func confirmed(inputs []input, got []answer) []input {
	refused := map[int32]bool{}
	for _, a := range got {
		refused[a.Partition] = a.err != nil
	}
	return slices.DeleteFunc(slices.Clone(inputs), func(in input) bool { return refused[in.partition] })
}

// autoCommitOptions record automatic commits; their begin is recorded by the client's own context.
func (c *client) autoCommitOptions(ctx context.Context, then func(context.Context, *client, []answer)) []kgo.Opt {
	return []kgo.Opt{
		kgo.AutoCommitInterval(c.w.spec.Shared.AutoCommitInterval),
		kgo.AutoCommitCallback(func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			<-c.opened
			got := answers(req, resp, err)
			if err := c.recordCommitted(got); err != nil {
				slog.Error("history", "err", err) // the writer keeps its error: the loop's next entry fails with it
			}
			then(ctx, c, got)
		}),
	}
}

// recordCommitting runs just before a commit is sent, automatic ones included.
func (c *client) recordCommitting(ctx context.Context) func(*kmsg.OffsetCommitRequest) error {
	return func(req *kmsg.OffsetCommitRequest) error {
		entry := &history.Committing{At: history.Now()}
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				entry.Offsets = append(entry.Offsets, history.PartitionOffset{Partition: p.Partition, Offset: p.Offset})
			}
		}
		if err := c.w.record(append(c.outputs.take(), entry)...); err != nil {
			return err
		}
		return c.w.gates.reach(ctx, PhaseCommitting, 0)
	}
}

// answer is what the coordinator said to one partition's commit.
type answer struct {
	history.PartitionOffset
	err error
}

var errNoAnswer = errors.New("the coordinator's answer lacks the partition")

// answers pairs each committed position with its answer, or with the error of the whole request.
func answers(req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, failed error) []answer {
	codes := map[int32]error{}
	if resp != nil {
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				codes[p.Partition] = kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	var all []answer
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			err, answered := codes[p.Partition]
			switch {
			case failed != nil:
				err = failed
			case !answered:
				err = errNoAnswer
			}
			all = append(all, answer{history.PartitionOffset{Partition: p.Partition, Offset: p.Offset}, err})
		}
	}
	return all
}

// recordCommitted writes a commit's outcome, one entry for all partitions with the same answer.
func (c *client) recordCommitted(all []answer) error {
	same := map[string]*history.Committed{}
	var entries []history.Entry
	for _, a := range all {
		outcome, reason := commitOutcome(a.err)
		e := same[reason]
		if e == nil {
			e = &history.Committed{At: history.Now(), Outcome: outcome, Reason: reason}
			same[reason] = e
			entries = append(entries, e)
		}
		e.Offsets = append(e.Offsets, a.PartitionOffset)
	}
	return c.w.record(entries...)
}
