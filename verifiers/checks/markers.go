package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var markers = kit.Check{
	Name:    "markers",
	About:   "compares control records with the data that they end, partition by partition",
	Control: "a marker of an older producer epoch than its data",
	Numbers: []harness.Number{
		{
			Key: "markerFaults", Header: "MARKER FAULTS", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Control records of an older producer epoch than the data that they end, or of an older coordinator epoch than one before\n" +
				"them; and transactions that were still open in a partition when the same producer wrote there for another one: under\n" +
				"another ordinal of its worker, or another producer epoch. `–` where outputs are not in transactions. Two producer epochs in\n" +
				"one open transaction decide nothing below transaction.version 2, where late requests can do that.",
			Unseen: "a marker that ended nothing: brokers may write one again, or to a partition that got no data.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if !s.Layout.Transactional || !s.HasLSO() {
			return nil
		}
		return &markerCount{workers: !s.SourceUnderTest()}
	},
}

type markerCount struct {
	workers bool
	all     []*openTransactions
}

// Output implements OutputReader.
func (c *markerCount) Output(p *logs.Partition) logs.Reader {
	r := &openTransactions{partition: p, workers: c.workers, of: map[int64]*openTransaction{}}
	c.all = append(c.all, r)
	return r
}

// openTransactions follows the transactions of one partition.
type openTransactions struct {
	partition *logs.Partition
	workers   bool
	of        map[int64]*openTransaction
	// end is where the batch before ended.
	end int64
	// faults counts what is proved wrong, epochs open transactions of two producer epochs; the texts are the first of each.
	faults, epochs     uint64
	example, twoEpochs string
}

// openTransaction is one producer's: what its first batch said, and the newest coordinator epoch of its markers.
type openTransaction struct {
	open        bool
	epoch       int16
	by          txns.Key
	coordinator int32
}

// Batch implements logs.Reader.
func (o *openTransactions) Batch(b *logs.Batch) {
	if b.Damaged || b.First != o.end {
		clear(o.of) // what is gone may have been a marker
	}
	o.end = b.Last + 1
	if b.Damaged || !b.Transactional {
		return
	}
	t := o.of[b.ProducerID]
	if t == nil {
		t = &openTransaction{coordinator: -1}
		o.of[b.ProducerID] = t
	}
	if b.Control {
		o.marker(t, b)
		return
	}
	o.data(t, b)
}

func (o *openTransactions) marker(t *openTransaction, b *logs.Batch) {
	if t.open && b.ProducerEpoch < t.epoch {
		o.fault(b, "a marker of epoch %d ends data of epoch %d", b.ProducerEpoch, t.epoch)
	}
	if b.CoordinatorEpoch >= 0 && b.CoordinatorEpoch < t.coordinator {
		o.fault(b, "a marker of coordinator epoch %d after one of %d", b.CoordinatorEpoch, t.coordinator)
	}
	t.open, t.coordinator = false, max(t.coordinator, b.CoordinatorEpoch)
}

func (o *openTransactions) data(t *openTransaction, b *logs.Batch) {
	switch {
	case !t.open:
		t.open, t.epoch, t.by = true, b.ProducerEpoch, txns.Key{}
	case b.ProducerEpoch != t.epoch:
		if o.epochs++; o.epochs == 1 {
			o.twoEpochs = fmt.Sprintf("at offset %d, producer id %d: data of epoch %d in an open transaction of epoch %d", b.First, b.ProducerID, b.ProducerEpoch, t.epoch)
		}
		t.epoch = b.ProducerEpoch
	}
	if !o.workers {
		return
	}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		if p.Kind > logs.Unmatched {
			continue
		}
		by := txns.Key{Incarnation: txns.Of(p.Span.First.Worker, p.Span.First.Incarnation), Ordinal: p.Span.First.Txn}
		if t.by != (txns.Key{}) && t.by != by {
			o.fault(b, "data of transaction %d of worker %d in its open transaction %d", by.Ordinal, by.Worker, t.by.Ordinal)
		}
		t.by = by
	}
}

func (o *openTransactions) fault(b *logs.Batch, format string, args ...any) {
	if o.faults++; o.faults == 1 {
		o.example = fmt.Sprintf("at offset %d, producer id %d: ", b.First, b.ProducerID) + fmt.Sprintf(format, args...)
	}
}

// Finish implements Counting.
func (c *markerCount) Finish(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	all := uint64(0)
	for _, o := range c.all {
		all += o.faults + o.epochs
		where := fmt.Sprintf("%s/%d", o.partition.At.Topic, o.partition.At.Partition)
		if o.faults > 0 {
			found = append(found, kit.Breaks(kit.OnlyExactly, "%s: %s markers don't fit their data, first %s", where, words.Number(o.faults), o.example)...)
		}
		switch {
		case o.epochs == 0:
		case transactionVersion(f) >= 2:
			found = append(found, kit.Breaks(kit.OnlyExactly, "%s: %s open transactions hold two producer epochs, first %s", where, words.Number(o.epochs), o.twoEpochs)...)
		default:
			found = append(found, kit.Note("%s: %s open transactions hold two producer epochs, first %s", where, words.Number(o.epochs), o.twoEpochs)...)
		}
	}
	n.Set("markerFaults", all)
	return found
}

// transactionVersion is the finalised level of transaction.version, 0 where it is not known.
func transactionVersion(f *kit.Facts) int {
	for _, x := range f.Run.Record.Features {
		if x.Name == "transaction.version" {
			return int(x.Level)
		}
	}
	return 0
}
