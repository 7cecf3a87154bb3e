package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Partition is what one partition's headers and index entry say, before its records are looked at.
type Partition struct {
	At ask.TopicPartition
	// Number is an output partition's number in its row, an input partition's own.
	Number int32
	Path   string
	Info   observation.Partition
	// stable is the last stable offset: nothing at or above it is visible to a read_committed reader.
	stable int64
	aborts *observation.Aborts
	// ended are the aborted transactions, in the order of their markers.
	ended []observation.Aborted
	open  []observation.OpenTxn
	// epochs are where each leader epoch's batches begin.
	epochs []epochStart
	End    int64
	Doubts []string
	// Idle means that there is no file to read: the doubts say why.
	Idle bool
	// refused is set if its file is of a version that is not read here: then there is no verdict at all.
	refused error
	// sections say where what is, once an output partition was read.
	sections sections
	// Checked are the committed records that a read_committed client was asked for: all, or a sample.
	Checked uint64
	// Whole means that the log was read up to its captured end. Otherwise what isn't found may still be there.
	Whole bool
	// Holes are the first ranges of offsets that it leaves out, Missing counts the offsets of all.
	Holes      []Hole
	Missing    uint64
	EpochsBack EpochsBack
	// uncommitted means that its readers use read_uncommitted: they get everything.
	uncommitted bool
	// Held are its offsets, once it was read.
	Held
}

// EpochsBack counts the batches of a log whose leader epoch is older than that of a batch before them; the first is at Offset,
// of Epoch, after one of Newer.
type EpochsBack struct {
	Batches      uint64
	Offset       int64
	Epoch, Newer int32
}

type epochStart struct {
	epoch int32
	first int64
}

func (p *Partition) doubt(format string, args ...any) {
	p.Doubts = append(p.Doubts, fmt.Sprintf("%s/%d: ", p.At.Topic, p.At.Partition)+fmt.Sprintf(format, args...))
}

// open reads a partition's headers. Trouble with its file is a doubt, not an error.
func open(r *saved.Run, at ask.TopicPartition) *Partition {
	p := &Partition{At: at, Number: at.Partition, Path: observation.File(r.Dir, at.Topic, at.Partition)}
	info := r.Index.Partition(at.Topic, at.Partition)
	if info == nil {
		p.Idle = true
		p.doubt("not read back")
		return p
	}
	p.Info = *info
	var txns observation.Transactions
	header, tail, err := observation.ReadFile(p.Path, true, func(b *observation.Batch) error {
		txns.Add(b)
		p.header(b)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		p.Idle = true
		p.doubt("its observation file is missing")
		return p
	}
	if errors.As(err, new(observation.VersionError)) {
		p.Idle, p.refused = true, err
		return p
	}
	if err != nil { // cut before its header was whole, or damaged there
		p.Idle = true
		p.doubt("its observation file can't be read: %v", err)
		return p
	}
	if header.Run != r.Record.RunID || header.Topic != at.Topic || header.Partition != at.Partition {
		p.doubt("its observation file is of %s/%d in another run or place", header.Topic, header.Partition)
	}
	p.ended, p.open = txns.Aborted(), txns.Open()
	p.aborts = observation.NewAborts(p.ended)
	p.stable = p.Info.LSO
	if len(p.open) > 0 {
		p.stable = min(p.stable, p.open[0].Start)
	}
	p.checkComplete(tail)
	p.checkAborted(p.ended)
	return p
}

func (p *Partition) header(b *observation.Batch) {
	p.End = b.Last + 1
	if b.Damaged {
		return
	}
	n := len(p.epochs)
	if n == 0 || p.epochs[n-1].epoch < b.LeaderEpoch {
		p.epochs = append(p.epochs, epochStart{b.LeaderEpoch, b.First})
		return
	}
	if newest := p.epochs[n-1].epoch; b.LeaderEpoch < newest {
		if p.EpochsBack.Batches++; p.EpochsBack.Batches == 1 {
			p.EpochsBack.Offset, p.EpochsBack.Epoch, p.EpochsBack.Newer = b.First, b.LeaderEpoch, newest
		}
	}
}

func (p *Partition) checkComplete(tail observation.Tail) {
	x := p.Info
	p.End = max(p.End, x.LogStart)
	switch {
	case x.Failure != "":
		p.doubt("%s", x.Failure)
	case !tail.Ended:
		p.doubt("its observation file can't be read to its end after %d batches: %s", tail.Batches, tail.Reason)
	case !x.Complete || p.End < x.HW:
		p.doubt("read up to offset %d of %d", p.End, x.HW)
	case p.End > x.HW:
		p.doubt("holds records up to offset %d, beyond its captured end %d", p.End-1, x.HW)
	default:
		p.Whole = true
	}
	p.checkTotals(tail)
	if x.HWAfter >= 0 && x.HWAfter != x.HW {
		p.doubt("its end moved from %d to %d while it was read: %s", x.HW, x.HWAfter, x.Writer)
	}
	if x.LSOAfter >= 0 && x.LSOAfter != x.LSO {
		p.doubt("its last stable offset moved from %d to %d while it was read", x.LSO, x.LSOAfter)
	}
	p.checkClient(x)
}

// checkTotals compares the index with the file. One of a read-back that did not reach its end has no totals.
func (p *Partition) checkTotals(tail observation.Tail) {
	x := p.Info
	switch {
	case !x.Complete || !tail.Ended:
	case x.Batches != tail.Batches || x.Records != tail.Records:
		p.doubt("the index claims %d batches with %d records, its observation file holds %d with %d", x.Batches, x.Records, tail.Batches, tail.Records)
	case x.Reached != p.End:
		p.doubt("by the index it was read up to offset %d, its observation file ends at %d", x.Reached, p.End)
	}
}

// checkClient compares what a read_committed reader must see, by the log, with what a real one saw.
func (p *Partition) checkClient(x observation.Partition) {
	const otherwise = "a read_committed client saw %d records (hash %s)%s where the log holds %d committed (hash %s)"
	if x.ClientErr != "" {
		p.doubt("a read_committed client could not read it: %s", x.ClientErr)
		return
	}
	if len(x.Checked) == 0 {
		p.Checked = x.Committed.Count
		if x.Client != x.Committed {
			p.doubt(otherwise, x.Client.Count, x.Client.Hash, "", x.Committed.Count, x.Committed.Hash)
		}
		return
	}
	for _, r := range x.Checked {
		p.Checked += r.Committed.Count
		if r.Client != r.Committed {
			p.doubt(otherwise, r.Client.Count, r.Client.Hash, fmt.Sprintf(" from offset %d to %d", r.From, r.To-1), r.Committed.Count, r.Committed.Hash)
		}
	}
}

// checkAborted compares the log's markers with what the broker listed.
func (p *Partition) checkAborted(derived []observation.Aborted) {
	type txn struct{ producer, first int64 }
	listed := map[txn]bool{}
	for _, a := range p.Info.BrokerAborted {
		listed[txn{a.ProducerID, a.First}] = true
	}
	missing := 0
	for _, a := range derived {
		if a.First < p.Info.LSO && !listed[txn{a.ProducerID, a.First}] {
			missing++
		}
		delete(listed, txn{a.ProducerID, a.First})
	}
	if missing+len(listed) > 0 {
		p.doubt("the broker's list of aborted transactions lacks %d that the markers abort, and has %d that they don't", missing, len(listed))
	}
}

// visibility is what the log's readers make of a batch.
func (p *Partition) visibility(b *observation.Batch) txns.Visibility {
	if p.uncommitted {
		return txns.Visible
	}
	return p.decided(b)
}

// decided is what the log's control records make of a batch, at either isolation level.
func (p *Partition) decided(b *observation.Batch) txns.Visibility {
	switch {
	case p.aborts.Has(b):
		return txns.Aborted
	case b.First >= p.stable:
		return txns.Hidden
	}
	return txns.Visible
}

// LastAbort is where the last of the abort markers is that decided on records in [from, to); ok where there is one.
func (p *Partition) LastAbort(from, to int64) (marker int64, ok bool) {
	for _, a := range p.ended {
		if a.First < to && a.Last >= from {
			marker, ok = a.Last, true
		}
	}
	return marker, ok
}

// StillOpen are a partition's open transactions: as the brokers list them, or by the log if they list none.
func (p *Partition) StillOpen() []observation.OpenTxn {
	if len(p.Info.Open) > 0 {
		return p.Info.Open
	}
	return p.open
}

// StartAfter is where the first batch of an epoch newer than this one begins, or the log's end, and that epoch.
func (p *Partition) StartAfter(epoch int32) (first int64, newer int32) {
	for _, e := range p.epochs {
		if e.epoch > epoch {
			return e.first, e.epoch
		}
	}
	return p.End, p.Newest()
}

// EpochAt is the leader epoch of the batches around an offset, -1 below all of them.
func (p *Partition) EpochAt(offset int64) int32 {
	epoch := int32(-1)
	for _, e := range p.epochs {
		if e.first <= offset {
			epoch = e.epoch
		}
	}
	return epoch
}

// Newest is the newest leader epoch that is known of.
func (p *Partition) Newest() int32 {
	epoch := p.Info.LeaderEpoch
	for _, e := range p.epochs {
		epoch = max(epoch, e.epoch)
	}
	return epoch
}

// openAll reads the headers of all partitions, several at the same time.
func openAll(n int, one func(number int32) *Partition) ([]*Partition, error) {
	parts := make([]*Partition, n)
	err := together.AtMost(runtime.GOMAXPROCS(0), n, func(i int) error {
		parts[i] = one(int32(i))
		return parts[i].refused
	})
	return parts, err
}
