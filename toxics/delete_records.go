package toxics

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var deleteRecordsKind = kit.Kind{
	Name:  "delete-records",
	About: "deletes the oldest records of partitions, as retention does too; no heal brings them back",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "keep", About: "how many of the newest records of each partition stay; 0 unless given"},
	},
	Make: newDeleteRecords,
}

// deleteRecords moves the start of logs: whoever is not past it finds that its offset is out of range.
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

// Inject deletes below the high watermark that each leader has now.
func (d deleteRecords) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	moved := map[admin.TopicPartition]logSpan{}
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

// logSpan is where a log starts and where it ends.
type logSpan struct{ start, end int64 }

// spanOf asks a partition's leader where its log starts, and for its high watermark.
func spanOf(ctx context.Context, f *harness.Field, v target.View, p admin.TopicPartition) (logSpan, error) {
	start, err := offsetAt(ctx, f, v, p, oldestOffset)
	if err != nil {
		return logSpan{}, err
	}
	end, err := offsetAt(ctx, f, v, p, admin.NewestOffset)
	return logSpan{start, end}, err
}

// oldestOffset is the timestamp that asks for a log's start.
const oldestOffset = int64(-2)

func offsetAt(ctx context.Context, f *harness.Field, v target.View, p admin.TopicPartition, timestamp int64) (int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	topic, part := kmsg.NewListOffsetsRequestTopic(), kmsg.NewListOffsetsRequestTopicPartition()
	topic.Topic, part.Partition, part.Timestamp, part.CurrentLeaderEpoch = p.Topic, p.Partition, timestamp, -1
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := admin.AskLeader[*kmsg.ListOffsetsResponse](ctx, f, v.Leader(p), req)
	if err != nil {
		return 0, fmt.Errorf("offsets of %s: %w", p, err)
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return 0, fmt.Errorf("offsets of %s: the broker left it out", p)
	}
	answer := resp.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(answer.ErrorCode); err != nil {
		return 0, fmt.Errorf("offsets of %s: %w", p, err)
	}
	return answer.Offset, nil
}

// deleteBelow moves a log's start. A request that timed out waiting for a follower has moved the leader's.
func deleteBelow(ctx context.Context, f *harness.Field, v target.View, p admin.TopicPartition, offset int64) error {
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

func deletionProof(on kit.OnPartitions, moved map[admin.TopicPartition]logSpan, l harness.PipelineLayout) (string, bool) {
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
