package logs

import (
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/parallel"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// inputLog is the shared input topic as it was read back. Keys are partition and offset.
type Input struct {
	Parts []*Partition
	// uncommitted and committed are what readers of either isolation level are given; counts are kept beside the sets so
	// that a number and its proof don't come from the same bits.
	Uncommitted, Committed           *keyset.Set
	UncommittedCount, CommittedCount uint64
	IDs                              []*identities
	// held are the sequences found in the log, by source; twice counts further copies of one.
	Held             map[uint16]*keyset.Set
	Twice            uint64
	Corrupt, Foreign uint64
}

// whole says that an input partition was read to its end, so that absence from it is proved.
func (in *Input) Whole(partition int32) bool {
	return int(partition) < len(in.Parts) && in.Parts[partition].Whole
}

// tallyInput streams the input topic's files.
func ReadInput(r *saved.Run) (*Input, error) {
	in := &Input{Uncommitted: keyset.New(), Committed: keyset.New(), Held: map[uint16]*keyset.Set{}}
	if r.Record.Plan.Input == "" {
		return in, nil
	}
	n := r.Record.Plan.Partitions
	each := make([]*Input, n)
	err := parallel.Do(n, func(i int) (err error) {
		each[i], err = tallyInputPartition(r, int32(i))
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range each {
		in.merge(p)
	}
	in.compact() // from here on rows read it at the same time
	return in, nil
}

func tallyInputPartition(r *saved.Run, partition int32) (*Input, error) {
	log := Open(r, saved.TopicPartition{Topic: r.Record.Plan.Input, Partition: partition})
	in := &Input{
		Parts: []*Partition{log}, Uncommitted: keyset.New(), Committed: keyset.New(),
		IDs: []*identities{{}}, Held: map[uint16]*keyset.Set{},
	}
	if log.Idle {
		return in, log.refused
	}
	_, _, err := observation.ReadRuns(log.Path, func(b *observation.Batch) error {
		if b.Damaged {
			in.Corrupt += uint64(b.Count)
		}
		stands := log.Visibility(b)
		for i := range b.Runs {
			in.take(r, partition, &b.Runs[i], stands)
		}
		return nil
	})
	return in, err
}

func (in *Input) take(r *saved.Run, partition int32, x *observation.Run, stands txns.Visibility) {
	n := uint64(x.Count)
	switch x.First.Status {
	case observation.Corrupt:
		in.Corrupt += n
		return
	case observation.Foreign, observation.Output:
		in.Foreign += n
		return
	}
	from := uint64(x.First.Offset)
	in.Uncommitted.AddRange(partition, from, from+n)
	in.UncommittedCount += n
	in.IDs[0].addRun(x.First.Offset, x.Count, x.First.Identity, x.SequenceStep)
	if stands == txns.Visible {
		in.Committed.AddRange(partition, from, from+n)
		in.CommittedCount += n
	}
	if stands != txns.Aborted {
		in.hold(x, r.Record.Plan.Partitions)
	}
}

// hold notes which sequences the log holds, and how many of them it held before.
func (in *Input) hold(x *observation.Run, partitions int) {
	set := in.Held[x.First.Source]
	if set == nil {
		set = keyset.New()
		in.Held[x.First.Source] = set
	}
	k := keyset.BySequence(x.First.Sequence, partitions)
	n := uint64(x.Count)
	if x.Count > 1 && x.SequenceStep == uint64(partitions) && set.Extend(k.Class, k.Index, k.Index+n) {
		return
	}
	for i := range x.Count {
		if !set.Add(keyset.BySequence(x.At(i).Sequence, partitions)) {
			in.Twice++
		}
	}
}

func (in *Input) compact() {
	in.Committed.Compact()
	in.Uncommitted.Compact()
	for _, set := range in.Held {
		set.Compact()
	}
}

func (in *Input) merge(p *Input) {
	in.Parts = append(in.Parts, p.Parts...)
	in.IDs = append(in.IDs, p.IDs...)
	in.Uncommitted.Union(p.Uncommitted)
	in.Committed.Union(p.Committed)
	in.UncommittedCount += p.UncommittedCount
	in.CommittedCount += p.CommittedCount
	in.Corrupt += p.Corrupt
	in.Foreign += p.Foreign
	in.Twice += p.Twice
	for source, set := range p.Held {
		if in.Held[source] == nil {
			in.Held[source] = keyset.New()
		}
		in.Twice += in.Held[source].And(set).Len()
		in.Held[source].Union(set)
	}
}
