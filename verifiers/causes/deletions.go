package causes

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// deletionOf says how far a partition's log start moved, and which recorded fault moved it that far; nil where the log
// still starts at 0.
func DeletionOf(r *saved.Run, p *logs.Partition) *harness.Deletion {
	if p.Info.LogStart <= 0 {
		return nil
	}
	d := &harness.Deletion{Topic: p.At.Topic, Partition: p.At.Partition, LogStart: p.Info.LogStart}
	for _, f := range r.Record.Faults {
		if f.Injected != 0 && moves(f, p) {
			d.Fault = f.Fault + " " + f.Target
		}
	}
	return d
}

// moves says that a fault recorded that it moved a partition's log start at least to where it is.
func moves(f harness.FaultRecord, p *logs.Partition) bool {
	for _, l := range f.Lasting {
		if l.What == harness.LogStartMoved && l.Topic == p.At.Topic && l.Partition == p.At.Partition && l.To >= p.Info.LogStart {
			return true
		}
	}
	return false
}

func DescribeDeletion(d *harness.Deletion) string {
	text := fmt.Sprintf("%s/%d starts at offset %d", d.Topic, d.Partition, d.LogStart)
	if d.Fault == "" {
		return text + ", and no fault deletes records"
	}
	return text + ": moved by " + d.Fault
}
