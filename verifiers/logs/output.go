package logs

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/parallel"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// outputLog is one pipeline's output topic as it was read back. Keys are input partition and offset, or, where the
// source writes straight to it, sequences.
type Output struct {
	// parts are the row's output partitions by number (harness.PipelineLayout.Place).
	Parts []*Partition
	// seen are inputs with a visible copy, again those with several; copies counts every visible copy.
	Visible, Repeated *keyset.Set
	Copies            uint64
	// behind are inputs with a copy at or above the last stable offset, dropped those with a copy that was aborted.
	Hidden, Aborted             *keyset.Set
	Reordered                   uint64
	Corrupt, Foreign, Unmatched uint64
	// lives counts records outside transactions by the worker that made them and the output partition; blocks hold the sums
	// of those in transactions.
	Incarnations map[txns.Incarnation]map[int32]*txns.Tally
	Sums         *txns.Sums
}

// whole says that an output partition was read to its end, so that absence from it is proved. An input's outputs go to
// the partition of its own number.
func (o *Output) Whole(partition int32) bool {
	return int(partition) < len(o.Parts) && o.Parts[partition].Whole
}

func newOutputLog() *Output {
	return &Output{
		Visible: keyset.New(), Repeated: keyset.New(), Hidden: keyset.New(), Aborted: keyset.New(),
		Incarnations: map[txns.Incarnation]map[int32]*txns.Tally{}, Sums: txns.NewSums(),
	}
}

// tallyOutput streams one pipeline's output files.
func ReadOutput(r *saved.Run, in *Input, layout harness.PipelineLayout) (*Output, error) {
	n := r.OutputPartitions(layout)
	each := make([]*Output, n)
	err := parallel.Do(n, func(i int) (err error) {
		each[i], err = tallyOutputPartition(r, in, layout, int32(i))
		return err
	})
	if err != nil {
		return nil, err
	}
	out := newOutputLog()
	for _, p := range each {
		out.merge(p)
	}
	return out, nil
}

// outputReader streams one output partition.
type Reader struct {
	*Output
	Run     *saved.Run
	Layout  harness.PipelineLayout
	source  *saved.Source
	Log     *Partition
	cursors []Cursor
	// first is the class of the keys of input partition 0 in the log's topic.
	first int32
	// highest is, by class, one above the highest input that came first so far.
	highest map[int32]uint64
	// txnSeen, where set, is shown all records of transactions, and nothing is counted.
	Transaction func(key txns.Key, decided txns.Visibility, n uint64)
	// decided is what control records make of the batch in hand: the row's readers may see it otherwise.
	decided txns.Visibility
	// The last record's transaction and what its counts are counted with: neighbours mostly share them.
	key    txns.Key
	valid  bool
	life   *txns.Tally
	weight [txns.Hidden + 1]uint64
}

func NewReader(r *saved.Run, in *Input, layout harness.PipelineLayout, log *Partition) *Reader {
	o := &Reader{Output: newOutputLog(), Run: r, Layout: layout, source: r.Sources[layout.Source], Log: log, highest: map[int32]uint64{}}
	o.first = log.Number - log.At.Partition
	for _, ids := range in.IDs {
		o.cursors = append(o.cursors, Cursor{IDs: ids})
	}
	return o
}

func tallyOutputPartition(r *saved.Run, in *Input, layout harness.PipelineLayout, number int32) (*Output, error) {
	topic, inTopic := layout.Place(number, r.Record.Plan.Partitions)
	log := Open(r, saved.TopicPartition{Topic: topic, Partition: inTopic})
	log.Number = number
	log.uncommitted = layout.ReadUncommittedOutput
	o := NewReader(r, in, layout, log)
	o.Parts = []*Partition{log}
	if log.Idle {
		return o.Output, log.refused
	}
	_, _, err := observation.ReadRuns(log.Path, func(b *observation.Batch) error {
		log.sections.add(b, layout.ProducerOnly, r.Pieces.Section)
		o.Batch(b)
		return nil
	})
	return o.Output, err
}

func (o *Reader) Batch(b *observation.Batch) {
	if b.Damaged {
		o.Corrupt += uint64(b.Count)
		return
	}
	stands := o.Log.Visibility(b)
	o.decided = o.Log.decided(b)
	for i := range b.Runs {
		r := &b.Runs[i]
		if o.Transaction != nil {
			o.show(r)
			continue
		}
		if class, from, ok := o.Orderly(r); ok && o.countRun(class, from, r, stands) {
			continue
		}
		for j := range r.Count {
			rec := r.At(j)
			o.record(&rec, stands)
		}
	}
}

// record takes one record by itself.
func (o *Reader) record(rec *observation.Record, stands txns.Visibility) {
	switch key, kind := o.Classify(rec); kind {
	case Sound:
		o.count(rec, key, stands)
	case unmatched:
		if stands == txns.Visible {
			o.Unmatched++
		}
		o.attribute(rec, stands, 1) // its worker did write it, whatever became of its input
	case foreign:
		if stands == txns.Visible {
			o.Foreign++
		}
	case corrupt:
		o.Corrupt++
	}
}

// orderly says that all records of a run are sound, and neighbours in their input, too: keys from from on.
func (o *Reader) Orderly(r *observation.Run) (class int32, from uint64, ok bool) {
	first := &r.First
	if r.Count == 1 || first.Source != o.Layout.Source {
		return 0, 0, false
	}
	if o.Layout.ProducerOnly {
		parts := uint64(o.Run.Record.Plan.Partitions)
		if first.Status != observation.Input || r.SequenceStep != parts || o.source == nil {
			return 0, 0, false
		}
		k := keyset.BySequence(first.Sequence, int(parts))
		return k.Class, k.Index, o.source.Intended.HasRange(k.Class, k.Index, k.Index+uint64(r.Count))
	}
	p := first.Partition
	if first.Status != observation.Output || r.OriginStep != 1 || p < 0 || int(p) >= len(o.cursors) || first.Origin.Offset < 0 {
		return 0, 0, false
	}
	return o.first + p, uint64(first.Origin.Offset), o.cursors[p].holds(first.Origin.Offset, r.Count, first.Identity, r.SequenceStep)
}

// countRun counts an orderly run, unless some of it is there already.
func (o *Reader) countRun(class int32, from uint64, r *observation.Run, stands txns.Visibility) bool {
	to := from + uint64(r.Count)
	switch stands {
	case txns.Visible:
		if !o.Visible.Extend(class, from, to) {
			return false
		}
		o.Copies += uint64(r.Count)
		o.highest[class] = to // what was seen of the class is all below from
	case txns.Hidden:
		o.Hidden.AddRange(class, from, to)
	case txns.Aborted:
		o.Aborted.AddRange(class, from, to)
	}
	if !o.Layout.ProducerOnly {
		o.attribute(&r.First, stands, uint64(r.Count))
	}
	return true
}

// show hands a run's records of a transaction on.
func (o *Reader) show(r *observation.Run) {
	if o.txnOf(&r.First) == 0 || o.Layout.ProducerOnly {
		return
	}
	n := uint64(r.Count)
	if _, _, ok := o.Orderly(r); !ok {
		n = 0
		for j := range r.Count {
			rec := r.At(j)
			if _, kind := o.Classify(&rec); kind == Sound || kind == unmatched {
				n++
			}
		}
	}
	if n > 0 {
		o.Transaction(txns.Key{Incarnation: txns.Of(r.First.Worker, r.First.Incarnation), Ordinal: r.First.Txn}, o.decided, n)
	}
}

// kindOfRecord is what an output record is to its pipeline.
type kindOfRecord int

const (
	Sound kindOfRecord = iota
	// orphan: its input is not, or no longer, in the input log where it says, though the source did send it.
	unmatched
	// notOurs: another run's, no envelope at all, or of an input that nobody sent.
	foreign
	corrupt
)

func (o *Reader) Classify(rec *observation.Record) (keyset.Key, kindOfRecord) {
	source := o.source
	bySequence := keyset.BySequence(rec.Sequence, o.Run.Record.Plan.Partitions)
	switch {
	case rec.Status == observation.Corrupt:
		return keyset.Key{}, corrupt
	case rec.Status == observation.Foreign, (rec.Status == observation.Input) != o.Layout.ProducerOnly, rec.Source != o.Layout.Source:
		return keyset.Key{}, foreign
	case o.Layout.ProducerOnly:
		if source == nil || !source.Intended.Has(bySequence) {
			return keyset.Key{}, foreign
		}
		return bySequence, Sound
	}
	if p := rec.Partition; p >= 0 && int(p) < len(o.cursors) {
		if id, ok := o.cursors[p].Identity(rec.Origin.Offset); ok && id == rec.Identity {
			return keyset.Key{Class: o.first + p, Index: uint64(rec.Origin.Offset)}, Sound
		}
	}
	if source == nil || !source.Intended.Has(bySequence) {
		return keyset.Key{}, foreign
	}
	return keyset.Key{}, unmatched
}

func (o *Reader) count(rec *observation.Record, key keyset.Key, stands txns.Visibility) {
	switch stands {
	case txns.Visible:
		o.Copies++
		if !o.Visible.Add(key) {
			o.Repeated.Add(key)
		} else if high := o.highest[key.Class]; key.Index < high {
			o.Reordered++
		} else {
			o.highest[key.Class] = key.Index + 1
		}
	case txns.Hidden:
		o.Hidden.Add(key)
	case txns.Aborted:
		o.Aborted.Add(key)
	}
	if !o.Layout.ProducerOnly {
		o.attribute(rec, stands, 1)
	}
}

// attribute counts n records like rec for the worker's life and the transaction that wrote them.
func (o *Reader) attribute(rec *observation.Record, stands txns.Visibility, n uint64) {
	txn := o.txnOf(rec)
	if at := (txns.Key{Incarnation: txns.Of(rec.Worker, rec.Incarnation), Ordinal: txn}); !o.valid || at != o.key {
		o.key, o.valid = at, true
		if txn == 0 {
			o.life = txns.TallyOf(o.Incarnations, at.Incarnation, o.Log.Number)
		} else {
			for v := range o.weight {
				o.weight[v] = txns.Weight(at, o.Log.Number, txns.Visibility(v))
			}
		}
	}
	if txn == 0 {
		o.life.Add(stands, n)
		return
	}
	o.Sums.Take(o.key, n, o.weight[o.decided])
	if stands != o.decided { // shown to readers though it is not committed: it is looked into, however sure its end is
		o.Sums.Suspect(o.key.Incarnation, o.key.Ordinal)
	}
}

// txnOf is the transaction that holds an output, 0 for none. An effect's names the one around its call, which does not.
func (o *Reader) txnOf(rec *observation.Record) uint64 {
	if o.Layout.Effects {
		return 0
	}
	return rec.Txn
}

func (o *Output) merge(p *Output) {
	o.Parts = append(o.Parts, p.Parts...)
	o.Repeated.Union(p.Repeated)
	o.Repeated.Union(o.Visible.And(p.Visible))
	o.Visible.Union(p.Visible)
	o.Hidden.Union(p.Hidden)
	o.Aborted.Union(p.Aborted)
	o.Copies += p.Copies
	o.Reordered += p.Reordered
	o.Corrupt += p.Corrupt
	o.Foreign += p.Foreign
	o.Unmatched += p.Unmatched
	txns.MergeTallies(o.Incarnations, p.Incarnations)
	o.Sums.Merge(p.Sums)
}
