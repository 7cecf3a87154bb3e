package toxics

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var deleteRecordsKind = kit.Kind{
	Name:  "delete-records",
	About: "deletes the oldest records of partitions, as retention does; no heal brings them back",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "keep", About: "how many of the newest records of each partition to keep; default 0"},
	},
	Make: newDeleteRecords,
}

// deleteRecords moves the start of logs: consumers that are not past it find their offset out of range.
type deleteRecords struct{ keep int64 }

var _ harness.Fault = deleteRecords{}

func newDeleteRecords(r *options.Reader) harness.Fault {
	return deleteRecords{int64(r.Number("keep", 0, 0, 1<<30))}
}

func (deleteRecords) Needs() []string { return nil }

func (d deleteRecords) String() string {
	if d.keep == 0 {
		return "all there are"
	}
	return fmt.Sprintf("all but the newest %d", d.keep)
}

// Inject deletes the records below each leader's high watermark.
func (d deleteRecords) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	moved := map[ask.TopicPartition]logSpan{}
	for _, p := range on.Partitions {
		was, err := spanOf(ctx, f, on.View, p)
		if err != nil {
			return on.Injection, err
		}
		to := was.end - d.keep
		if to <= was.start {
			continue
		}
		if err := deleteBelow(ctx, f, on.View, p, to); err != nil {
			return on.Injection, err
		}
		now, err := spanOf(ctx, f, on.View, p)
		if err != nil {
			return on.Injection, err
		}
		if now.start <= was.start {
			return on.Injection, fmt.Errorf("%s still starts at %d", p, now.start)
		}
		moved[p] = logSpan{was.start, now.start}
		on.Lasts(harness.Lasting{What: harness.LogStartMoved, Topic: p.Topic, Partition: p.Partition, From: was.start, To: now.start})
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return deletionProof(on, moved, l) }
	}
	on.Began(ctx, on.View, on.View.Nodes)
	return on.Injection, nil
}

// logSpan is where a log starts and ends.
type logSpan struct{ start, end int64 }

// spanOf asks a partition's leader for the start of its log and its high watermark.
func spanOf(ctx context.Context, f *harness.Field, v target.View, p ask.TopicPartition) (span logSpan, err error) {
	leader := v.Leader(p)
	if leader < 0 {
		return span, fmt.Errorf("offsets of %s: %w", p, admin.ErrNoLeader)
	}
	anyEpoch := map[ask.TopicPartition]int32{p: ask.AnyEpoch}
	start, err := f.Brokers().Offsets(ctx, leader, ask.LogStart, anyEpoch)
	if err != nil {
		return span, err
	}
	end, err := f.Brokers().Offsets(ctx, leader, ask.HighWatermark, anyEpoch)
	return logSpan{start[p], end[p]}, err
}

// deleteBelow moves a log's start. A request that timed out waiting for a follower has moved the leader's start.
func deleteBelow(ctx context.Context, f *harness.Field, v target.View, p ask.TopicPartition, offset int64) error {
	req := kmsg.NewPtrDeleteRecordsRequest()
	req.TimeoutMillis = int32(admin.RequestTimeout.Milliseconds())
	topic, part := kmsg.NewDeleteRecordsRequestTopic(), kmsg.NewDeleteRecordsRequestTopicPartition()
	topic.Topic, part.Partition, part.Offset = p.Topic, p.Partition, offset
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := admin.AskLeader[*kmsg.DeleteRecordsResponse](ctx, f, v.Leader(p), req)
	if err != nil {
		return fmt.Errorf("delete records of %s: %w", p, err)
	}
	for _, t := range resp.Topics {
		for _, answer := range t.Partitions {
			if err := kerr.ErrorForCode(answer.ErrorCode); err != nil && !errors.Is(err, kerr.RequestTimedOut) {
				return fmt.Errorf("delete records of %s: %w", p, err)
			}
		}
	}
	return nil
}

func deletionProof(on kit.OnPartitions, moved map[ask.TopicPartition]logSpan, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, p := range on.View.Concerning(on.Partitions, l) {
		if s, ok := moved[p]; ok {
			texts = append(texts, fmt.Sprintf("log start of %s/%d: %d -> %d", on.View.Generic(p.Topic), p.Partition, s.start, s.end))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no partition of it had records to delete")
	}
	return strings.Join(texts, ", "), true
}
