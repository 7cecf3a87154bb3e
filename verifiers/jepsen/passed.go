package jepsen

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// passed are the inputs that a row's pipeline is done with, by input partition: below its group's committed offset, or
// acknowledged to its share group. Done with an input, a pipeline has acknowledged that its output is there.
type passed struct {
	below map[int32]int64
	acked map[int32]*ranges
}

func readPassed(dir string, workers []harness.HistoryRecord, index *observation.Index, group string) (*passed, error) {
	p := &passed{below: map[int32]int64{}, acked: map[int32]*ranges{}}
	for _, x := range index.Positions {
		if x.Group == group {
			p.reach(x.Partition, x.Offset)
		}
	}
	for _, h := range workers {
		pending := map[uint64][]history.PartitionOffset{}
		if err := scan(dir, h, func(e history.Entry) { p.add(e, pending) }); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add takes an entry of a worker's. Pending are the offsets that its open transactions hold.
func (p *passed) add(e history.Entry, pending map[uint64][]history.PartitionOffset) {
	switch e := e.(type) {
	case *history.Committed:
		switch {
		case e.Outcome != history.OutcomeConfirmed:
		case e.Txn > 0:
			pending[e.Txn] = append(pending[e.Txn], e.Offsets...)
		default:
			p.reachAll(e.Offsets)
		}
	case *history.TxnEnded:
		if e.Commit && e.Outcome == history.OutcomeConfirmed {
			p.reachAll(pending[e.Txn])
		}
		delete(pending, e.Txn)
	case *history.Acknowledged:
		if e.Outcome != history.OutcomeConfirmed {
			return
		}
		for _, r := range e.Ranges {
			if p.acked[r.Partition] == nil {
				p.acked[r.Partition] = &ranges{}
			}
			if r.From >= 0 && r.From < r.To {
				p.acked[r.Partition].add(uint64(r.From), uint64(r.To))
			}
		}
	}
}

func (p *passed) reachAll(offsets []history.PartitionOffset) {
	for _, o := range offsets {
		p.reach(o.Partition, o.Offset)
	}
}

func (p *passed) reach(partition int32, offset int64) {
	p.below[partition] = max(p.below[partition], offset)
}

func (p *passed) has(partition int32, offset int64) bool {
	return offset < p.below[partition] || p.acked[partition] != nil && p.acked[partition].has(uint64(offset))
}
