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
)

var deleteRecordsKind = Kind{
	Name:  "delete-records",
	About: "deletes the oldest records of partitions, as retention does too; no heal brings them back",
	Hits:  Partitions,
	Options: []options.Info{
		{Name: "keep", About: "how many of the newest records of each partition stay; 0 unless given"},
	},
	make: newDeleteRecords,
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
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	moved := map[place]logSpan{}
	for _, p := range on.places {
		was, err := spanOf(ctx, f, on.view, p)
		if err != nil {
			return on.i, err
		}
		to := was.end - d.keep
		if to <= was.start {
			continue
		}
		if err := deleteBelow(ctx, f, on.view, p, to); err != nil {
			return on.i, err
		}
		now, err := spanOf(ctx, f, on.view, p)
		if err != nil {
			return on.i, err
		}
		if now.start <= was.start {
			return on.i, fmt.Errorf("%s still starts at %d", p, now.start)
		}
		moved[p] = logSpan{was.start, now.start}
		on.i.lasts(harness.Lasting{What: harness.LogStartMoved, Topic: p.topic, Partition: p.partition, From: was.start, To: now.start})
	}
	on.i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return deletionProof(on, moved, l) }
	}
	on.i.began(ctx, on.view, on.view.nodes)
	return on.i, nil
}

// logSpan is where a log starts and where it ends.
type logSpan struct{ start, end int64 }

// spanOf asks a partition's leader where its log starts, and for its high watermark.
func spanOf(ctx context.Context, f *harness.Field, v view, p place) (logSpan, error) {
	start, err := offsetAt(ctx, f, v, p, oldestOffset)
	if err != nil {
		return logSpan{}, err
	}
	end, err := offsetAt(ctx, f, v, p, newestOffset)
	return logSpan{start, end}, err
}

// oldestOffset is the timestamp that asks for a log's start.
const oldestOffset = int64(-2)

func offsetAt(ctx context.Context, f *harness.Field, v view, p place, timestamp int64) (int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	topic, part := kmsg.NewListOffsetsRequestTopic(), kmsg.NewListOffsetsRequestTopicPartition()
	topic.Topic, part.Partition, part.Timestamp, part.CurrentLeaderEpoch = p.topic, p.partition, timestamp, -1
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := askLeader[*kmsg.ListOffsetsResponse](ctx, f, v.leader(p), req)
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
func deleteBelow(ctx context.Context, f *harness.Field, v view, p place, offset int64) error {
	req := kmsg.NewPtrDeleteRecordsRequest()
	req.TimeoutMillis = int32(adminTimeout.Milliseconds())
	topic, part := kmsg.NewDeleteRecordsRequestTopic(), kmsg.NewDeleteRecordsRequestTopicPartition()
	topic.Topic, part.Partition, part.Offset = p.topic, p.partition, offset
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	resp, err := askLeader[*kmsg.DeleteRecordsResponse](ctx, f, v.leader(p), req)
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

func deletionProof(on onPlaces, moved map[place]logSpan, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, p := range on.view.concerned(on.places, l) {
		if s, ok := moved[p]; ok {
			texts = append(texts, fmt.Sprintf("log start of %s/%d: %d -> %d", on.view.generic(p.topic), p.partition, s.start, s.end))
		}
	}
	if len(texts) == 0 {
		return notTouched("no partition of it had records to delete")
	}
	return strings.Join(texts, ", "), true
}
