package readback

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const (
	// clientSilence is how long the read_committed client may deliver nothing before that counts as all there is.
	clientSilence = 5 * time.Second
	// clientBytes is how many bytes of values it fetches at once: what it fetches after a range's end is thrown away.
	clientBytes = 256 << 10
)

// planClient chooses what a read_committed client is asked for.
func (r *reading) planClient() {
	logs := make([][]segment, len(r.index.Partitions))
	for i := range r.index.Partitions {
		if s := r.sums[tpOf(&r.index.Partitions[i])]; s != nil {
			logs[i] = s.segments
		}
	}
	chosen := r.sampling.choose(logs)
	for i := range r.index.Partitions {
		p := &r.index.Partitions[i]
		p.Client = sum{}.saved()
		p.Checked = ranges(logs[i], chosen[i], p.LSO)
	}
}

// clientGarbage is how much garbage there may be while clients read, in percent of what is in use. They make a record of
// everything that they fetch: with Go's own 100 the peak of a read-back of zstd batches is a sixth higher.
const clientGarbage = 50

// checkClients reads the chosen ranges of every partition.
func (r *reading) checkClients(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(clientGarbage))
	r.planClient()
	return r.each(ctx, r.checkClient)
}

// checkClient reads a partition's ranges with an ordinary read_committed consumer. It keeps control records only to know
// its position: a consumer that hides them can't tell a tail of markers from a partition where nothing moves.
func (r *reading) checkClient(ctx context.Context, p *observation.Partition) error {
	if len(p.Checked) == 0 {
		return nil
	}
	from, bytes := kgo.NewOffset().At(p.Checked[0].From), r.sums[tpOf(p)].fetchBytes(clientBytes)
	client, err := harness.DirectClient(r.spec.Cluster, "chaeos-readback-committed",
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{p.Topic: {p.Partition: from}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxPartitionBytes(bytes), kgo.FetchMaxBytes(2*bytes), kgo.FetchMaxWait(500*time.Millisecond))
	if err != nil {
		return err
	}
	defer client.Close()
	rd := &reader{part: p}
	for last := time.Now(); !rd.done() && ctx.Err() == nil && time.Since(last) < clientSilence; {
		pollCtx, cancel := context.WithTimeout(ctx, time.Second)
		fetches := client.PollFetches(pollCtx)
		cancel()
		fetches.EachError(func(_ string, _ int32, err error) {
			if !errors.Is(err, context.DeadlineExceeded) {
				p.ClientErr = err.Error()
			}
		})
		records := fetches.Records()
		if len(records) == 0 {
			continue
		}
		last = time.Now()
		if rd.take(records) && rd.next() {
			client.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.Topic: {p.Partition: {Epoch: -1, Offset: p.Checked[rd.at].From}}})
		}
	}
	rd.finish()
	wholeRange(p)
	return nil
}

// wholeRange moves the sum of a partition that was read whole to the partition itself: it was no sample.
func wholeRange(p *observation.Partition) {
	if len(p.Checked) == 1 && p.Checked[0].Committed == p.Committed && p.Checked[0].From <= p.LogStart && p.Checked[0].To == p.LSO {
		p.Client, p.Checked = p.Checked[0].Client, nil
	}
}

// reader is what the read_committed client read of one partition, range by range.
type reader struct {
	part *observation.Partition
	// at is the range that is being read, sum what was read of it.
	at  int
	sum sum
}

func (rd *reader) done() bool { return rd.at >= len(rd.part.Checked) }

// take adds records up to the range's end, and reports whether that is reached.
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

// next notes what was read of a range, and reports whether there is one after it.
func (rd *reader) next() bool {
	rd.part.Checked[rd.at].Client = rd.sum.saved()
	rd.sum = sum{}
	rd.at++
	return !rd.done()
}

// finish notes where the client stopped, if it didn't come to the end.
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
