package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// deletionFault is the fault after which a log may start above 0.
const deletionFault = "delete-records"

// deletionOf says how far a partition's log start moved, and which recorded fault moved it that far; nil where the log
// still starts at 0.
func (r *run) deletionOf(p *partLog) *harness.Deletion {
	if p.info.LogStart <= 0 {
		return nil
	}
	d := &harness.Deletion{Topic: p.at.topic, Partition: p.at.partition, LogStart: p.info.LogStart}
	for _, f := range r.record.Faults {
		if f.Injected != 0 && moves(f, p) {
			d.Fault = f.Fault + " " + f.Target
		}
	}
	return d
}

// moves says that a fault moved a partition's log start at least to where it is. A fault that does not say what it moved is
// taken to have moved the partitions that it affects.
func moves(f harness.FaultRecord, p *partLog) bool {
	for _, s := range f.Resolved.Starts {
		if s.Topic == p.at.topic && s.Partition == p.at.partition {
			return s.Offset >= p.info.LogStart
		}
	}
	if f.Fault != deletionFault || len(f.Resolved.Starts) > 0 {
		return false
	}
	for _, q := range f.Resolved.Partitions {
		if q == p.at.partition {
			return true
		}
	}
	return len(f.Resolved.Partitions) == 0
}

func describeDeletion(d *harness.Deletion) string {
	text := fmt.Sprintf("%s/%d starts at offset %d", d.Topic, d.Partition, d.LogStart)
	if d.Fault == "" {
		return text + ", and no fault deletes records"
	}
	return text + ": moved by " + d.Fault
}
