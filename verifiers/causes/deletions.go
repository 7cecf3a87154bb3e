package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// deletionOf says how far a partition's log start moved, and which recorded fault moved it that far; nil where the log
// still starts at 0.
func deletionOf(r *run, p *partLog) *harness.Deletion {
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

// moves says that a fault recorded that it moved a partition's log start at least to where it is.
func moves(f harness.FaultRecord, p *partLog) bool {
	for _, l := range f.Lasting {
		if l.What == harness.LogStartMoved && l.Topic == p.at.topic && l.Partition == p.at.partition && l.To >= p.info.LogStart {
			return true
		}
	}
	return false
}

func describeDeletion(d *harness.Deletion) string {
	text := fmt.Sprintf("%s/%d starts at offset %d", d.Topic, d.Partition, d.LogStart)
	if d.Fault == "" {
		return text + ", and no fault deletes records"
	}
	return text + ": moved by " + d.Fault
}
