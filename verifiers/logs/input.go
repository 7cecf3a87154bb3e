package verifiers

import (
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// inputLog is the shared input topic as it was read back. Keys are partition and offset.
type inputLog struct {
	parts []*partLog
	// uncommitted and committed are what readers of either isolation level are given; counts are kept beside the sets so
	// that a number and its proof don't come from the same bits.
	uncommitted, committed   *keyset.Set
	uncommittedN, committedN uint64
	ids                      []*identities
	// held are the sequences found in the log, by source; twice counts further copies of one.
	held             map[uint16]*keyset.Set
	twice            uint64
	corrupt, foreign uint64
}

// whole says that an input partition was read to its end, so that absence from it is proved.
func (in *inputLog) whole(partition int32) bool {
	return int(partition) < len(in.parts) && in.parts[partition].whole
}

// tallyInput streams the input topic's files.
func tallyInput(r *run) (*inputLog, error) {
	in := &inputLog{uncommitted: keyset.New(), committed: keyset.New(), held: map[uint16]*keyset.Set{}}
	if r.record.Plan.Input == "" {
		return in, nil
	}
	n := r.record.Plan.Partitions
	each := make([]*inputLog, n)
	err := parallel(n, func(i int) (err error) {
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

func tallyInputPartition(r *run, partition int32) (*inputLog, error) {
	log := openPartition(r, tp{r.record.Plan.Input, partition})
	in := &inputLog{
		parts: []*partLog{log}, uncommitted: keyset.New(), committed: keyset.New(),
		ids: []*identities{{}}, held: map[uint16]*keyset.Set{},
	}
	if log.idle {
		return in, log.refused
	}
	_, _, err := observation.ReadRuns(log.path, func(b *observation.Batch) error {
		if b.Damaged {
			in.corrupt += uint64(b.Count)
		}
		stands := log.visibility(b)
		for i := range b.Runs {
			in.take(r, partition, &b.Runs[i], stands)
		}
		return nil
	})
	return in, err
}

func (in *inputLog) take(r *run, partition int32, x *observation.Run, stands visibility) {
	n := uint64(x.Count)
	switch x.First.Status {
	case observation.Corrupt:
		in.corrupt += n
		return
	case observation.Foreign, observation.Output:
		in.foreign += n
		return
	}
	from := uint64(x.First.Offset)
	in.uncommitted.AddRange(partition, from, from+n)
	in.uncommittedN += n
	in.ids[0].addRun(x.First.Offset, x.Count, x.First.Identity, x.SequenceStep)
	if stands == visible {
		in.committed.AddRange(partition, from, from+n)
		in.committedN += n
	}
	if stands != aborted {
		in.hold(x, r.record.Plan.Partitions)
	}
}

// hold notes which sequences the log holds, and how many of them it held before.
func (in *inputLog) hold(x *observation.Run, partitions int) {
	set := in.held[x.First.Source]
	if set == nil {
		set = keyset.New()
		in.held[x.First.Source] = set
	}
	k := keyset.BySequence(x.First.Sequence, partitions)
	n := uint64(x.Count)
	if x.Count > 1 && x.SequenceStep == uint64(partitions) && set.Extend(k.Class, k.Index, k.Index+n) {
		return
	}
	for i := range x.Count {
		if !set.Add(keyset.BySequence(x.At(i).Sequence, partitions)) {
			in.twice++
		}
	}
}

func (in *inputLog) compact() {
	in.committed.Compact()
	in.uncommitted.Compact()
	for _, set := range in.held {
		set.Compact()
	}
}

func (in *inputLog) merge(p *inputLog) {
	in.parts = append(in.parts, p.parts...)
	in.ids = append(in.ids, p.ids...)
	in.uncommitted.Union(p.uncommitted)
	in.committed.Union(p.committed)
	in.uncommittedN += p.uncommittedN
	in.committedN += p.committedN
	in.corrupt += p.corrupt
	in.foreign += p.foreign
	in.twice += p.twice
	for source, set := range p.held {
		if in.held[source] == nil {
			in.held[source] = keyset.New()
		}
		in.twice += in.held[source].And(set).Len()
		in.held[source].Union(set)
	}
}
