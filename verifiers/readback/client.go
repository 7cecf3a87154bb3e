package readback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const (
	// clientSilence is how long the read_committed client may deliver nothing before it is taken at its word.
	clientSilence = 5 * time.Second
	// clientBytes is how much it fetches of a partition at once: of what lies behind a range it throws the rest away.
	clientBytes = 512 << 10
)

// reader is what the read_committed client saw of one partition, range by range.
type reader struct {
	part *observation.Partition
	// at is the range that is being read, sum what was seen of it.
	at  int
	sum sum
}

// checkClient reads the chosen ranges of every partition with an ordinary read_committed consumer. It keeps control
// records only to know where it stands: a consumer that hides them can't tell a tail of markers from a partition that
// stands still.
func (r *reading) checkClient(ctx context.Context) error {
	readers, assignment := r.clientPlan()
	if len(readers) == 0 {
		return nil
	}
	client, err := harness.DirectClient(r.spec.Cluster, "chaeos-readback-committed",
		kgo.ConsumePartitions(assignment), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxPartitionBytes(clientBytes), kgo.FetchMaxBytes(4*clientBytes), kgo.MaxConcurrentFetches(1), kgo.FetchMaxWait(500*time.Millisecond))
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
			if rd == nil || len(f.Records) == 0 || rd.done() {
				return
			}
			last = time.Now()
			if rd.take(f.Records) {
				left -= rd.next(client)
			}
		})
	}
	for _, rd := range readers {
		rd.finish()
	}
	for i := range r.index.Partitions {
		wholeRange(&r.index.Partitions[i])
	}
	return nil
}

// wholeRange says of a partition that was read whole what was seen of it, and that it was no sample.
func wholeRange(p *observation.Partition) {
	if len(p.Checked) == 1 && p.Checked[0].Committed == p.Committed && p.Checked[0].From <= p.LogStart && p.Checked[0].To == p.LSO {
		p.Client, p.Checked = p.Checked[0].Client, nil
	}
}

func (r *reading) clientPlan() (map[brokers.TP]*reader, map[string]map[int32]kgo.Offset) {
	logs := make([][]segment, len(r.index.Partitions))
	for i := range r.index.Partitions {
		if s := r.sums[tpOf(&r.index.Partitions[i])]; s != nil {
			logs[i] = s.segments
		}
	}
	chosen := r.sampling.choose(logs)
	readers := map[brokers.TP]*reader{}
	assignment := map[string]map[int32]kgo.Offset{}
	for i := range r.index.Partitions {
		p := &r.index.Partitions[i]
		p.Client = sum{}.saved()
		p.Checked = ranges(logs[i], chosen[i], p.LSO)
		if len(p.Checked) == 0 {
			continue
		}
		readers[tpOf(p)] = &reader{part: p}
		if assignment[p.Topic] == nil {
			assignment[p.Topic] = map[int32]kgo.Offset{}
		}
		assignment[p.Topic][p.Partition] = kgo.NewOffset().At(p.Checked[0].From)
	}
	return readers, assignment
}

func (rd *reader) done() bool { return rd.at >= len(rd.part.Checked) }

// take adds records up to the range's end and says whether it is reached.
func (rd *reader) take(records []*kgo.Record) (reached bool) {
	x := &rd.part.Checked[rd.at]
	for _, rec := range records {
		if rec.Offset >= x.From && rec.Offset < x.To && !rec.Attrs.IsControl() {
			_, _, err := history.Decode(rec.Value)
			rd.sum.add(rec.Offset, digest(rec.Value, err))
		}
		if rec.Offset+1 >= x.To {
			return true
		}
	}
	return false
}

// next notes what was seen of a range and moves the client on to the one after it. It returns 1 after the last.
func (rd *reader) next(client *kgo.Client) int {
	p := rd.part
	p.Checked[rd.at].Client = rd.sum.saved()
	rd.sum = sum{}
	rd.at++
	if rd.done() {
		client.PauseFetchPartitions(map[string][]int32{p.Topic: {p.Partition}})
		return 1
	}
	client.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.Topic: {p.Partition: {Epoch: -1, Offset: p.Checked[rd.at].From}}})
	return 0
}

// finish sums the ranges up, and says where the client stopped.
func (rd *reader) finish() {
	p := rd.part
	if rd.done() {
		p.ClientErr = ""
		return
	}
	x := &p.Checked[rd.at]
	x.Client = rd.sum.saved()
	if p.ClientErr == "" && (x.Client != x.Committed || rd.at+1 < len(p.Checked)) {
		p.ClientErr = fmt.Sprintf("silent for %s after %d records from offset %d on", clientSilence, rd.sum.count, x.From)
	}
}
