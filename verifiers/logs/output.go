package verifiers

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// outputLog is one pipeline's output topic as it was read back. Keys are input partition and offset, or, where the
// source writes straight to it, sequences.
type outputLog struct {
	// parts are the row's output partitions by number (harness.PipelineLayout.Place).
	parts []*partLog
	// seen are inputs with a visible copy, again those with several; copies counts every visible copy.
	seen, again *keyset.Set
	copies      uint64
	// behind are inputs with a copy at or above the last stable offset, dropped those with a copy that was aborted.
	behind, dropped           *keyset.Set
	reordered                 uint64
	corrupt, foreign, orphans uint64
	// lives counts records outside transactions by the worker that made them and the output partition; blocks hold the sums
	// of those in transactions.
	lives  map[life]map[int32]*fate
	blocks *blocks
}

// whole says that an output partition was read to its end, so that absence from it is proved. An input's outputs go to
// the partition of its own number.
func (o *outputLog) whole(partition int32) bool {
	return int(partition) < len(o.parts) && o.parts[partition].whole
}

func newOutputLog() *outputLog {
	return &outputLog{
		seen: keyset.New(), again: keyset.New(), behind: keyset.New(), dropped: keyset.New(),
		lives: map[life]map[int32]*fate{}, blocks: newBlocks(),
	}
}

// tallyOutput streams one pipeline's output files.
func tallyOutput(r *run, in *inputLog, layout harness.PipelineLayout) (*outputLog, error) {
	n := r.outputPartitions(layout)
	each := make([]*outputLog, n)
	err := parallel(n, func(i int) (err error) {
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
type outputReader struct {
	*outputLog
	run     *run
	layout  harness.PipelineLayout
	source  *source
	log     *partLog
	cursors []cursor
	// first is the class of the keys of input partition 0 in the log's topic.
	first int32
	// highest is, by class, one above the highest input that came first so far.
	highest map[int32]uint64
	// txnSeen, where set, is shown all records of transactions, and nothing is counted.
	txnSeen func(key txnKey, decided visibility, n uint64)
	// decided is what control records make of the batch in hand: the row's readers may see it otherwise.
	decided visibility
	// The last record's transaction and what its counts are counted with: neighbours mostly share them.
	key    txnKey
	valid  bool
	life   *fate
	weight [hidden + 1]uint64
}

func newOutputReader(r *run, in *inputLog, layout harness.PipelineLayout, log *partLog) *outputReader {
	o := &outputReader{outputLog: newOutputLog(), run: r, layout: layout, source: r.sources[layout.Source], log: log, highest: map[int32]uint64{}}
	o.first = log.number - log.at.partition
	for _, ids := range in.ids {
		o.cursors = append(o.cursors, cursor{ids: ids})
	}
	return o
}

func tallyOutputPartition(r *run, in *inputLog, layout harness.PipelineLayout, number int32) (*outputLog, error) {
	topic, inTopic := layout.Place(number, r.record.Plan.Partitions)
	log := openPartition(r, tp{topic, inTopic})
	log.number = number
	log.uncommitted = layout.ReadUncommittedOutput
	o := newOutputReader(r, in, layout, log)
	o.parts = []*partLog{log}
	if log.idle {
		return o.outputLog, log.refused
	}
	_, _, err := observation.ReadRuns(log.path, func(b *observation.Batch) error {
		log.stretches.add(b, layout.ProducerOnly)
		o.batch(b)
		return nil
	})
	return o.outputLog, err
}

func (o *outputReader) batch(b *observation.Batch) {
	if b.Damaged {
		o.corrupt += uint64(b.Count)
		return
	}
	stands := o.log.visibility(b)
	o.decided = o.log.decided(b)
	for i := range b.Runs {
		r := &b.Runs[i]
		if o.txnSeen != nil {
			o.show(r)
			continue
		}
		if class, from, ok := o.orderly(r); ok && o.countRun(class, from, r, stands) {
			continue
		}
		for j := range r.Count {
			rec := r.At(j)
			o.record(&rec, stands)
		}
	}
}

// record takes one record by itself.
func (o *outputReader) record(rec *observation.Record, stands visibility) {
	switch key, kind := o.classify(rec); kind {
	case sound:
		o.count(rec, key, stands)
	case orphan:
		if stands == visible {
			o.orphans++
		}
		o.attribute(rec, stands, 1) // its worker did write it, whatever became of its input
	case notOurs:
		if stands == visible {
			o.foreign++
		}
	case broken:
		o.corrupt++
	}
}

// orderly says that all records of a run are sound, and neighbours in their input, too: keys from from on.
func (o *outputReader) orderly(r *observation.Run) (class int32, from uint64, ok bool) {
	first := &r.First
	if r.Count == 1 || first.Source != o.layout.Source {
		return 0, 0, false
	}
	if o.layout.ProducerOnly {
		parts := uint64(o.run.record.Plan.Partitions)
		if first.Status != observation.Input || r.SequenceStep != parts || o.source == nil {
			return 0, 0, false
		}
		k := keyset.BySequence(first.Sequence, int(parts))
		return k.Class, k.Index, o.source.intended.HasRange(k.Class, k.Index, k.Index+uint64(r.Count))
	}
	p := first.Partition
	if first.Status != observation.Output || r.OriginStep != 1 || p < 0 || int(p) >= len(o.cursors) || first.Origin.Offset < 0 {
		return 0, 0, false
	}
	return o.first + p, uint64(first.Origin.Offset), o.cursors[p].holds(first.Origin.Offset, r.Count, first.Identity, r.SequenceStep)
}

// countRun counts an orderly run, unless some of it is there already.
func (o *outputReader) countRun(class int32, from uint64, r *observation.Run, stands visibility) bool {
	to := from + uint64(r.Count)
	switch stands {
	case visible:
		if !o.seen.Extend(class, from, to) {
			return false
		}
		o.copies += uint64(r.Count)
		o.highest[class] = to // what was seen of the class is all below from
	case hidden:
		o.behind.AddRange(class, from, to)
	case aborted:
		o.dropped.AddRange(class, from, to)
	}
	if !o.layout.ProducerOnly {
		o.attribute(&r.First, stands, uint64(r.Count))
	}
	return true
}

// show hands a run's records of a transaction on.
func (o *outputReader) show(r *observation.Run) {
	if o.txnOf(&r.First) == 0 || o.layout.ProducerOnly {
		return
	}
	n := uint64(r.Count)
	if _, _, ok := o.orderly(r); !ok {
		n = 0
		for j := range r.Count {
			rec := r.At(j)
			if _, kind := o.classify(&rec); kind == sound || kind == orphan {
				n++
			}
		}
	}
	if n > 0 {
		o.txnSeen(txnKey{life{r.First.Worker, r.First.Incarnation}, r.First.Txn}, o.decided, n)
	}
}

// kindOfRecord is what an output record is to its pipeline.
type kindOfRecord int

const (
	sound kindOfRecord = iota
	// orphan: its input is not, or no longer, in the input log where it says, though the source did send it.
	orphan
	// notOurs: another run's, no envelope at all, or of an input that nobody sent.
	notOurs
	broken
)

func (o *outputReader) classify(rec *observation.Record) (keyset.Key, kindOfRecord) {
	source := o.source
	bySequence := keyset.BySequence(rec.Sequence, o.run.record.Plan.Partitions)
	switch {
	case rec.Status == observation.Corrupt:
		return keyset.Key{}, broken
	case rec.Status == observation.Foreign, (rec.Status == observation.Input) != o.layout.ProducerOnly, rec.Source != o.layout.Source:
		return keyset.Key{}, notOurs
	case o.layout.ProducerOnly:
		if source == nil || !source.intended.Has(bySequence) {
			return keyset.Key{}, notOurs
		}
		return bySequence, sound
	}
	if p := rec.Partition; p >= 0 && int(p) < len(o.cursors) {
		if id, ok := o.cursors[p].identity(rec.Origin.Offset); ok && id == rec.Identity {
			return keyset.Key{Class: o.first + p, Index: uint64(rec.Origin.Offset)}, sound
		}
	}
	if source == nil || !source.intended.Has(bySequence) {
		return keyset.Key{}, notOurs
	}
	return keyset.Key{}, orphan
}

func (o *outputReader) count(rec *observation.Record, key keyset.Key, stands visibility) {
	switch stands {
	case visible:
		o.copies++
		if !o.seen.Add(key) {
			o.again.Add(key)
		} else if high := o.highest[key.Class]; key.Index < high {
			o.reordered++
		} else {
			o.highest[key.Class] = key.Index + 1
		}
	case hidden:
		o.behind.Add(key)
	case aborted:
		o.dropped.Add(key)
	}
	if !o.layout.ProducerOnly {
		o.attribute(rec, stands, 1)
	}
}

// attribute counts n records like rec for the worker's life and the transaction that wrote them.
func (o *outputReader) attribute(rec *observation.Record, stands visibility, n uint64) {
	txn := o.txnOf(rec)
	if at := (txnKey{life{rec.Worker, rec.Incarnation}, txn}); !o.valid || at != o.key {
		o.key, o.valid = at, true
		if txn == 0 {
			o.life = counters(o.lives, at.life, o.log.number)
		} else {
			for v := range o.weight {
				o.weight[v] = weight(at, o.log.number, visibility(v))
			}
		}
	}
	if txn == 0 {
		o.life.add(stands, n)
		return
	}
	o.blocks.take(o.key, n, o.weight[o.decided])
	if stands != o.decided { // shown to readers though it is not committed: it is looked into, however sure its end is
		o.blocks.suspect(o.key.life, o.key.ordinal)
	}
}

// txnOf is the transaction that holds an output, 0 for none. An effect's names the one around its call, which does not.
func (o *outputReader) txnOf(rec *observation.Record) uint64 {
	if o.layout.Effects {
		return 0
	}
	return rec.Txn
}

func (o *outputLog) merge(p *outputLog) {
	o.parts = append(o.parts, p.parts...)
	o.again.Union(p.again)
	o.again.Union(o.seen.And(p.seen))
	o.seen.Union(p.seen)
	o.behind.Union(p.behind)
	o.dropped.Union(p.dropped)
	o.copies += p.copies
	o.reordered += p.reordered
	o.corrupt += p.corrupt
	o.foreign += p.foreign
	o.orphans += p.orphans
	mergeCounters(o.lives, p.lives)
	o.blocks.merge(p.blocks)
}
