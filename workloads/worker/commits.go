package worker

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// Commit commits the offsets after inputs, and returns when the outcome is known and recorded. A commit that is refused
// or lost is no error: the next one includes it, or another worker has the partitions.
func (c *Client) Commit(ctx context.Context, inputs []Input) error {
	_, err := c.CommitOffsets(ctx, after(inputs))
	return err
}

// after are the offsets after inputs, by partition.
func after(inputs []Input) map[int32]kgo.EpochOffset {
	next := map[int32]kgo.EpochOffset{}
	for _, in := range inputs {
		next[in.Partition] = kgo.EpochOffset{Epoch: in.Epoch, Offset: in.Offset + 1}
	}
	return next
}

// CommitOffsets is Commit for offsets by partition, and returns the coordinator's answers.
func (c *Client) CommitOffsets(ctx context.Context, next map[int32]kgo.EpochOffset) (got []Answer, err error) {
	if len(next) == 0 {
		return nil, nil
	}
	ctx = kgo.PreCommitFnContext(ctx, c.recordCommitting(ctx))
	offsets := map[string]map[int32]kgo.EpochOffset{c.Spec.Input: next}
	c.kafka.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, failed error) {
		got = answers(req, resp, failed)
		err = c.recordCommitted(got)
	})
	return got, err
}

// CommitAhead commits the offsets after inputs that were not worked on yet, and returns the inputs whose commit was
// confirmed: no worker is given these again.
func (c *Client) CommitAhead(ctx context.Context, inputs []Input) ([]Input, error) {
	c.inHand.Store(int64(len(inputs)))
	got, err := c.CommitOffsets(ctx, after(inputs))
	if err != nil {
		return nil, err
	}
	inputs = confirmed(inputs, got)
	return inputs, c.Gates.Reach(ctx, phase.Committed, len(inputs))
}

// confirmed keeps the inputs whose partitions' commits were confirmed.
func confirmed(inputs []Input, got []Answer) []Input {
	refused := map[int32]bool{}
	for _, a := range got {
		refused[a.Partition] = a.Err != nil
	}
	return slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return refused[in.Partition] })
}

// autoCommitOptions record automatic commits; recordCommitting, in the client's own context, records their start.
func (c *Client) autoCommitOptions(ctx context.Context, then func(context.Context, *Client, []Answer)) []kgo.Opt {
	return []kgo.Opt{
		kgo.AutoCommitInterval(c.Spec.Shared.AutoCommitInterval),
		kgo.AutoCommitCallback(func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			<-c.opened
			got := answers(req, resp, err)
			member.Logged(c.recordCommitted(got))
			then(ctx, c, got)
		}),
	}
}

// recordCommitting returns what runs just before a commit is sent, automatic ones included.
func (c *Client) recordCommitting(ctx context.Context) func(*kmsg.OffsetCommitRequest) error {
	return func(req *kmsg.OffsetCommitRequest) error {
		entry := &history.Committing{Stamp: history.AtNow()}
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				entry.Offsets = append(entry.Offsets, history.PartitionOffset{Partition: p.Partition, Offset: p.Offset})
			}
		}
		if err := c.Record(append(c.outputs.take(), entry)...); err != nil {
			return err
		}
		return c.Gates.Reach(ctx, phase.Committing, int(c.inHand.Load()))
	}
}

// Answer is the coordinator's answer to the commit of one partition's offset.
type Answer struct {
	history.PartitionOffset
	Err error
}

var errNoAnswer = errors.New("the coordinator's answer lacks the partition")

// answers pairs each committed offset with its answer, or with the error of the whole request.
func answers(req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, failed error) []Answer {
	codes := map[int32]error{}
	if resp != nil {
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				codes[p.Partition] = kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	var all []Answer
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			err, answered := codes[p.Partition]
			switch {
			case failed != nil:
				err = failed
			case !answered:
				err = errNoAnswer
			}
			all = append(all, Answer{history.PartitionOffset{Partition: p.Partition, Offset: p.Offset}, err})
		}
	}
	return all
}

// recordCommitted writes a commit's outcome, one entry for all partitions with the same answer.
func (c *Client) recordCommitted(all []Answer) error {
	same := map[string]*history.Committed{}
	var entries []history.Entry
	for _, a := range all {
		outcome, reason := member.CommitOutcome(a.Err)
		e := same[reason]
		if e == nil {
			e = &history.Committed{Stamp: history.AtNow(), Outcome: outcome, Reason: reason}
			same[reason] = e
			entries = append(entries, e)
		}
		e.Offsets = append(e.Offsets, a.PartitionOffset)
	}
	return c.Record(entries...)
}
