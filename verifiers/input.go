package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
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
	return in, nil
}

func tallyInputPartition(r *run, partition int32) (*inputLog, error) {
	log := openPartition(r, tp{r.record.Plan.Input, partition})
	in := &inputLog{
		parts: []*partLog{log}, uncommitted: keyset.New(), committed: keyset.New(),
		ids: []*identities{{}}, held: map[uint16]*keyset.Set{},
	}
	if log.idle {
		return in, nil
	}
	_, _, err := observation.ReadFile(log.path, false, func(b *observation.Batch) error {
		if b.Damaged {
			in.corrupt += uint64(b.Count)
		}
		stands := log.visibility(b)
		for i := range b.Records {
			in.take(r, partition, &b.Records[i], stands)
		}
		return nil
	})
	return in, err
}

func (in *inputLog) take(r *run, partition int32, rec *observation.Record, stands visibility) {
	switch rec.Status {
	case observation.Corrupt:
		in.corrupt++
		return
	case observation.Foreign, observation.Output:
		in.foreign++
		return
	}
	k := keyset.Key{Class: partition, Index: uint64(rec.Offset)}
	in.uncommitted.Add(k)
	in.uncommittedN++
	in.ids[0].add(rec.Offset, rec.Identity)
	if stands == visible {
		in.committed.Add(k)
		in.committedN++
	}
	if stands != aborted {
		in.hold(rec.Identity, r.record.Plan.Partitions)
	}
}

func (in *inputLog) hold(id history.Identity, partitions int) {
	set := in.held[id.Source]
	if set == nil {
		set = keyset.New()
		in.held[id.Source] = set
	}
	if !set.Add(keyset.BySequence(id.Sequence, partitions)) {
		in.twice++
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
