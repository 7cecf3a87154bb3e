package readback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// clientSilence is how long the read_committed client may deliver nothing before it is taken at its word.
const clientSilence = 5 * time.Second

// reader is what the read_committed client saw of one partition.
type reader struct {
	part *observation.Partition
	sum  sum
	done bool
}

// checkClient reads every partition with an ordinary read_committed consumer. It keeps control records only to know
// where it stands: a consumer that hides them can't tell a tail of markers from a partition that stands still.
func (r *reading) checkClient(ctx context.Context) error {
	readers, assignment := r.clientPlan()
	if len(readers) == 0 {
		return nil
	}
	client, err := harness.DirectClient(r.spec.Cluster, "chaeos-readback-committed",
		kgo.ConsumePartitions(assignment), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxPartitionBytes(partitionBytes), kgo.FetchMaxBytes(2*partitionBytes), kgo.MaxConcurrentFetches(1), kgo.FetchMaxWait(500*time.Millisecond))
	if err != nil {
		return err
	}
	defer client.Close()
	last := time.Now()
	for left := len(readers); left > 0 && ctx.Err() == nil && time.Since(last) < clientSilence; {
		pollCtx, cancel := context.WithTimeout(ctx, time.Second)
		fetches := client.PollFetches(pollCtx)
		cancel()
		fetches.EachError(func(topic string, p int32, err error) {
			if rd := readers[brokers.TP{Topic: topic, Partition: p}]; rd != nil && !errors.Is(err, context.DeadlineExceeded) {
				rd.part.ClientErr = err.Error()
			}
		})
		fetches.EachPartition(func(f kgo.FetchTopicPartition) {
			rd := readers[brokers.TP{Topic: f.Topic, Partition: f.Partition}]
			if rd == nil || len(f.Records) == 0 {
				return
			}
			last = time.Now()
			if rd.take(f.Records) {
				left--
			}
		})
	}
	for _, rd := range readers {
		rd.finish()
	}
	return nil
}

func (r *reading) clientPlan() (map[brokers.TP]*reader, map[string]map[int32]kgo.Offset) {
	readers := map[brokers.TP]*reader{}
	assignment := map[string]map[int32]kgo.Offset{}
	for i := range r.index.Partitions {
		p := &r.index.Partitions[i]
		if p.HW < 0 {
			continue
		}
		if p.LSO <= p.LogStart {
			p.Client = sum{}.saved()
			continue
		}
		readers[tpOf(p)] = &reader{part: p}
		if assignment[p.Topic] == nil {
			assignment[p.Topic] = map[int32]kgo.Offset{}
		}
		assignment[p.Topic][p.Partition] = kgo.NewOffset().At(p.LogStart)
	}
	return readers, assignment
}

// take adds records up to the captured end and says whether this call reached it.
func (rd *reader) take(records []*kgo.Record) (reached bool) {
	for _, rec := range records {
		if rec.Offset < rd.part.LSO && !rec.Attrs.IsControl() {
			rd.sum.add(rec.Offset, rec.Value)
		}
		if !rd.done && rec.Offset+1 >= rd.part.LSO {
			rd.done, reached = true, true
		}
	}
	return reached
}

func (rd *reader) finish() {
	rd.part.Client = rd.sum.saved()
	if rd.done {
		rd.part.ClientErr = ""
		return
	}
	if rd.part.ClientErr == "" && rd.part.Client != rd.part.Committed {
		rd.part.ClientErr = fmt.Sprintf("silent for %s after %d records", clientSilence, rd.sum.count)
	}
}
