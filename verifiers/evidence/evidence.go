package evidence

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

// Folder is where the evidence files are, inside a run's folder.
const Folder = "evidence"

// Write writes the evidence of a report into its run's folder: anomalies, stalls, timeline and faults. Files that are
// there are replaced. The same folder gives the same bytes.
func Write(dir string, report *harness.Report) error {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return err
	}
	into := filepath.Join(dir, Folder)
	if err := files.Folder(into); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	c := clockOf(record)
	return errors.Join(
		write(into, "anomalies", func(f *file[AnomalyRow]) error {
			for _, a := range report.Anomalies {
				f.add(anomalyRows(record.Name, c, a)...)
			}
			return nil
		}),
		write(into, "stalls", func(f *file[StallRow]) error {
			for _, s := range report.Stalls {
				f.add(stallRow(record.Name, c, s))
			}
			return nil
		}),
		write(into, "timeline", func(f *file[TimelineRow]) error {
			return timeline.Build(dir, func(b timeline.Bucket) error {
				f.add(timelineRow(record.Name, c, b))
				return f.err
			})
		}),
		write(into, "faults", func(f *file[FaultRow]) error {
			for i, x := range record.Faults {
				f.add(faultRows(record.Name, c, i, x)...)
			}
			return nil
		}),
	)
}

func timelineRow(run string, c clock, b timeline.Bucket) TimelineRow {
	row := TimelineRow{
		Run: run, Pipeline: b.Pipeline, Partition: b.Partition, Seconds: c.seconds(b.Start), Time: c.wall(b.Start),
		Acked: int64(b.Acked), Visible: int64(b.Visible), LagMin: b.LagMin, LagMax: b.LagMax, StableLagMin: b.StableLagMin, StableLagMax: b.StableLagMax,
	}
	if l := b.Latency; l != nil {
		row.Delivered = int64(l.Count)
		row.LatencyMin, row.LatencyP50 = ptr(l.Min.Seconds()), ptr(l.P50.Seconds())
		row.LatencyP99, row.LatencyMax = ptr(l.P99.Seconds()), ptr(l.Max.Seconds())
	}
	return row
}

// faultRows is a row a pipeline that the fault was measured on.
func faultRows(run string, c clock, number int, f harness.FaultRecord) []FaultRow {
	row := FaultRow{
		Run: run, Number: int32(number), Fault: f.Fault, Target: f.Target, Options: text(f.Options), Label: text(f.Label), Resolved: f.Resolved.Text,
		Members: f.Resolved.Members, Partitions: f.Resolved.Partitions, Effect: text(f.Reaction), HealProof: text(f.HealProof), Error: text(f.Error),
	}
	for _, b := range f.Resolved.Brokers {
		row.Brokers = append(row.Brokers, int32(b))
	}
	if f.Injected != 0 {
		row.InjectedSeconds, row.Injected = ptr(c.seconds(f.Injected)), ptr(c.wall(f.Injected))
	}
	if f.Healed != 0 {
		row.HealedSeconds, row.Healed = ptr(c.seconds(f.Healed)), ptr(c.wall(f.Healed))
	}
	if len(f.Proofs) == 0 {
		return []FaultRow{row}
	}
	var rows []FaultRow
	for _, b := range f.Proofs {
		one := row
		one.Pipeline, one.Bit, one.Proof, one.InFlight = ptr(b.Pipeline), ptr(b.TookEffect), text(b.Text), ptr(int64(b.InFlight))
		rows = append(rows, one)
	}
	return rows
}
