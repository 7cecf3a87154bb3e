package logs

import (
	"runtime"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Input is the shared input topic as it was read back. Keys are partition and offset.
type Input struct {
	Parts []*Partition
	// Uncommitted and Committed are what readers of either isolation level get. Counts are kept apart from the sets, so
	// that a number and its proof don't come from the same bits.
	Uncommitted, Committed           *keyset.Set
	UncommittedCount, CommittedCount uint64
	IDs                              []*identities
	// Held are the sequences found in the log, by source; Twice counts further copies of one.
	Held  map[uint16]*keyset.Set
	Twice uint64
}

// Whole reports whether an input partition was read to its end, so that absence from it is proved.
func (in *Input) Whole(partition int32) bool {
	return int(partition) < len(in.Parts) && in.Parts[partition].Whole
}

// ReadInput streams the input topic's files once, and shows every batch to the readers too.
func ReadInput(r *saved.Run, readers Readers) (*Input, error) {
	in := newInput()
	if r.Record.Plan.Input == "" {
		return in, nil
	}
	parts, err := openAll(r.Record.Plan.Partitions, func(n int32) *Partition {
		return open(r, ask.TopicPartition{Topic: r.Record.Plan.Input, Partition: n})
	})
	if err != nil {
		return nil, err
	}
	each := make([]*inputTally, len(parts))
	for i, p := range parts {
		each[i] = &inputTally{Input: newInput(), log: p, readers: readers(p), partitions: r.Record.Plan.Partitions}
		each[i].Parts, each[i].IDs = []*Partition{p}, []*identities{{}}
	}
	err = together.AtMost(runtime.GOMAXPROCS(0), len(each), func(i int) error { return each[i].read() })
	if err != nil {
		return nil, err
	}
	for _, t := range each {
		in.merge(t.Input)
	}
	in.compact() // from here on rows read it at the same time
	return in, nil
}

func newInput() *Input {
	return &Input{Uncommitted: keyset.New(), Committed: keyset.New(), Held: map[uint16]*keyset.Set{}}
}

// inputTally counts one input partition while it is streamed.
type inputTally struct {
	*Input
	log        *Partition
	readers    []Reader
	partitions int
	batch      Batch
}

func (t *inputTally) read() error {
	if t.log.Idle {
		return nil
	}
	follow := newOffsets(t.log)
	_, tail, err := observation.ReadSpans(t.log.Path, func(raw *observation.Batch) error {
		b := t.log.batch(&t.batch, inputKeys{t.log.Number}, raw)
		t.log.note(b, observation.Input)
		follow.take(b, t.log.Info.LogStart)
		for i := range b.Pieces {
			t.take(&b.Pieces[i], b.Visibility)
		}
		for _, r := range t.readers {
			r.Batch(b)
		}
		return nil
	})
	t.log.followed(&follow, tail)
	return err
}

func (t *inputTally) take(p *Piece, visibility txns.Visibility) {
	if p.Kind != Sound {
		return
	}
	n, x := uint64(p.Count), p.Span
	t.Uncommitted.AddRange(t.log.Number, p.From, p.To())
	t.UncommittedCount += n
	t.IDs[0].addRun(x.First.Offset, x.Count, x.First.Identity, x.SequenceStep)
	if visibility == txns.Visible {
		t.Committed.AddRange(t.log.Number, p.From, p.To())
		t.CommittedCount += n
	}
	if visibility != txns.Aborted {
		t.hold(x, t.partitions)
	}
}

// hold notes which sequences the log holds, and how many of them it held before.
func (in *Input) hold(x *observation.Span, partitions int) {
	set := in.Held[x.First.Source]
	if set == nil {
		set = keyset.New()
		in.Held[x.First.Source] = set
	}
	k := keyset.BySequence(x.First.Sequence, partitions)
	n := uint64(x.Count)
	if x.Count > 1 && x.SequenceStep == uint64(partitions) && set.Extend(k.Partition, k.Index, k.Index+n) {
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
	in.Twice += p.Twice
	for source, set := range p.Held {
		if in.Held[source] == nil {
			in.Held[source] = keyset.New()
		}
		in.Twice += in.Held[source].And(set).Len()
		in.Held[source].Union(set)
	}
}
