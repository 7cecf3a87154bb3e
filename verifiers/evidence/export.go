package evidence

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Export writes everything that a run's folder holds into another folder, which is made: history.parquet (every entry of
// every process), batches.parquet and records.parquet (every log as it was read back). It streams: memory is bounded by
// the writers' row groups.
func Export(dir, into string) error {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return err
	}
	index, err := observation.LoadIndex(dir)
	if err != nil {
		return err
	}
	if err := files.ExportFolder(dir, into); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := exportHistory(dir, into, record); err != nil {
		return err
	}
	if index == nil {
		index = &observation.Index{}
	}
	return write(into, "batches", func(batches *file[BatchRow]) error {
		return write(into, "records", func(records *file[RecordRow]) error {
			for i := range index.Partitions {
				x := &exporting{dir: dir, info: &index.Partitions[i], clock: clockOf(record), batches: batches, records: records}
				if err := x.log(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// exporting writes one log.
type exporting struct {
	dir     string
	info    *observation.Partition
	clock   clock
	batches *file[BatchRow]
	records *file[RecordRow]
	aborts  *observation.Aborts
	stable  int64
}

func (x *exporting) log() error {
	path := observation.File(x.dir, x.info.Topic, x.info.Partition)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil // never read back: the index says why
	}
	var txns observation.Transactions
	if _, _, err := observation.ReadFile(path, true, func(b *observation.Batch) error {
		txns.Add(b)
		return nil
	}); err != nil {
		return err
	}
	x.aborts, x.stable = observation.NewAborts(txns.Aborted()), x.info.LSO
	if open := txns.Open(); len(open) > 0 {
		x.stable = min(x.stable, open[0].Start)
	}
	_, _, err := observation.ReadFile(path, false, func(b *observation.Batch) error {
		x.batch(b)
		return errors.Join(x.batches.err, x.records.err)
	})
	return err
}

func (x *exporting) batch(b *observation.Batch) {
	standing := "visible"
	switch {
	case x.aborts.Has(b):
		standing = "aborted"
	case b.First >= x.stable:
		standing = "hidden"
	}
	row := BatchRow{
		Topic: x.info.Topic, Partition: x.info.Partition, FirstOffset: b.First, LastOffset: b.Last, Records: b.Count, Bytes: b.Bytes,
		ProducerID: b.ProducerID, ProducerEpoch: int32(b.ProducerEpoch), BaseSequence: b.BaseSequence, LeaderEpoch: b.LeaderEpoch,
		MaxTimestamp: time.UnixMilli(b.MaxTimestamp).UTC(), Transactional: b.Transactional, Control: b.Control, Damaged: b.Damaged, Standing: standing,
	}
	if b.Control {
		row.Marker = ptr([...]string{"none", "abort", "commit", "other"}[b.Marker])
		row.CoordinatorEpoch = ptr(b.CoordinatorEpoch)
	}
	x.batches.add(row)
	rows := make([]RecordRow, 0, len(b.Records))
	for i := range b.Records {
		rows = append(rows, x.record(b, &b.Records[i], standing))
	}
	x.records.add(rows...)
}

func (x *exporting) record(b *observation.Batch, r *observation.Record, standing string) RecordRow {
	row := RecordRow{
		Topic: x.info.Topic, Partition: x.info.Partition, Offset: r.Offset, Standing: standing,
		Status:     [...]string{"input", "output", "corrupt", "foreign"}[r.Status],
		ProducerID: b.ProducerID, ProducerEpoch: int32(b.ProducerEpoch), ProducerSeq: b.Sequence(r.Offset), LeaderEpoch: b.LeaderEpoch,
	}
	if r.Status > observation.Output {
		return row
	}
	row.Source, row.Sequence, row.ScheduledSeconds = ptr(int32(r.Source)), ptr(int64(r.Sequence)), ptr(x.clock.seconds(r.Scheduled))
	if r.Status == observation.Output {
		row.origin(r.Origin)
	}
	return row
}

func (r *RecordRow) origin(o history.Origin) {
	r.InputPartition, r.InputOffset, r.Worker = ptr(o.Partition), ptr(o.Offset), ptr(int32(o.Worker))
	r.Incarnation, r.Processing, r.Txn = ptr(int64(o.Incarnation)), ptr(int64(o.Processing)), ptr(int64(o.Txn))
}
