package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var unmatched = kit.Check{
	Name:    "unmatched",
	About:   "counts visible outputs whose input is not where they say it is in the input log, and asks whether readers get such a record twice",
	Control: "a second copy whose origin is off by one",
	Numbers: []harness.Number{
		{
			Key: "unmatched", Header: "UNMATCHED", Show: harness.WhenNonZero,
			Means: "Visible outputs whose input is not, or no longer, where they say it is in the input log, though the source sent it. Only a\n" +
				"recorded truncation or deletion of the input explains that; without one nothing is held.",
			Unseen: "why a worker named another place. Where the input was not read to its end, all outputs of what is missing count.",
		},
		{
			Key: "secondCopies", Header: "SECOND COPIES", Show: harness.WhenNonZero,
			Means: "Those of them whose record, by source and sequence, is visible in the same topic a second time. Readers get it twice,\n" +
				"whatever became of the input: at-most-once and exactly-once are violated. DUPLICATES doesn't count them: it knows outputs by\n" +
				"the place of their input.",
			Unseen: "copies of a record that the source itself sent twice, each processed once.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if s.SourceUnderTest() {
			return nil
		}
		return &unmatchedCount{row: s}
	},
}

// unmatchedCount keeps what unmatched outputs are of, by output partition.
type unmatchedCount struct {
	row   *rows.Subject
	parts []*unmatchedIn
}

// Output implements OutputReader.
func (c *unmatchedCount) Output(p *logs.Partition) logs.Reader {
	u := &unmatchedIn{partitions: c.row.Run.Record.Plan.Partitions, topic: p.At.Topic, named: keyset.New(), records: keyset.New()}
	c.parts = append(c.parts, u)
	return u
}

// unmatchedIn are those of one output partition: the input offsets that they name, and the records that they are of.
type unmatchedIn struct {
	partitions     int
	topic          string
	n, repeated    uint64
	named, records *keyset.Set
	first          string
}

// Batch implements logs.Reader.
func (u *unmatchedIn) Batch(b *logs.Batch) {
	if b.Visibility != txns.Visible {
		return
	}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		if p.Kind != logs.Unmatched {
			continue
		}
		for j := range p.Count {
			r := p.Record(j)
			u.n++
			u.named.Add(keyset.Key{Partition: r.Partition, Index: uint64(max(0, r.Origin.Offset))})
			if !u.records.Add(keyset.BySequence(r.Sequence, u.partitions)) {
				u.repeated++
			}
			if u.first == "" {
				u.first = fmt.Sprintf("the output at %s offset %d is of source %d sequence %d, and names input partition %d offset %d",
					u.topic, r.Offset, r.Source, r.Sequence, r.Partition, r.Origin.Offset)
			}
		}
	}
}

// Finish implements Counting.
func (c *unmatchedCount) Finish(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	all, first := uint64(0), ""
	named, records := keyset.New(), map[string]*keyset.Set{}
	second := uint64(0)
	for _, u := range c.parts {
		if u.n == 0 {
			continue
		}
		all, second = all+u.n, second+u.repeated
		if first == "" {
			first = u.first
		}
		named.Union(u.named)
		if records[u.topic] == nil {
			records[u.topic] = keyset.New()
		}
		second += records[u.topic].And(u.records).Len()
		records[u.topic].Union(u.records)
	}
	n.Set("unmatched", all)
	n.Set("secondCopies", second)
	if all == 0 {
		return nil
	}
	matched, err := matchedAgain(f, records)
	if err != nil {
		return []kit.Finding{kit.NotRun("unmatched", "%v", err)}
	}
	n.Set("secondCopies", second+matched)
	const text = "%s outputs name an input that is not, or no longer, where they say in the input log"
	if unexplained(f, named) {
		found = kit.Doubt(text+", and no recorded truncation or deletion explains all of them: %s", words.Number(all), first)
	} else {
		found = kit.Note(text, words.Number(all))
	}
	if second+matched > 0 {
		found = append(found, kit.Breaks(kit.NoDuplicates, "%s records are visible again in outputs that name another input: readers get them twice, e.g. %s",
			words.Number(second+matched), first)...)
	}
	return found
}

// matchedAgain counts the records of unmatched outputs, by topic, that matched ones are of too. It reads the outputs again, which
// is done only where some are unmatched.
func matchedAgain(f *kit.Facts, records map[string]*keyset.Set) (n uint64, err error) {
	for topic, of := range records {
		also := keyset.New()
		for _, p := range f.Out.Parts {
			if p.At.Topic != topic {
				continue
			}
			if err := f.Out.Each(p, func(*logs.Section) bool { return true }, func(b *logs.Batch) { addMatched(also, of, b, f.Run.Record.Plan.Partitions) }); err != nil {
				return 0, err
			}
		}
		n += also.Len()
	}
	return n, nil
}

func addMatched(to, among *keyset.Set, b *logs.Batch, partitions int) {
	if b.Visibility != txns.Visible {
		return
	}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		for j := range p.Count {
			if k := keyset.BySequence(p.Record(j).Sequence, partitions); p.Kind == logs.Sound && among.Has(k) {
				to.Add(k)
			}
		}
	}
}

// unexplained reports whether the input log lacks any of these places for no recorded reason.
func unexplained(f *kit.Facts, named *keyset.Set) (any bool) {
	gone := map[int32]func(int64) bool{}
	for _, p := range f.In.Parts {
		start, truncated := int64(0), causes.Truncated(f.Run, p)
		if d := causes.DeletionOf(f.Run, p); d != nil && d.Fault != "" {
			start = d.LogStart
		}
		gone[p.Number] = func(offset int64) bool { return offset < start || truncated(offset) }
	}
	named.Each(func(k keyset.Key) bool {
		at := gone[k.Partition]
		any = at == nil || !at(int64(k.Index))
		return !any
	})
	return any
}
