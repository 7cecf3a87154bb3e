package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// oracle computes a row's numbers from the world itself.
func oracle(w *world, layout harness.PipelineLayout) figures {
	s := newSlowRow(w, layout)
	n := figures{Input: uint64(len(s.input)), Corrupt: s.corrupt, Foreign: s.foreign, Hanging: s.hanging(), Reordered: s.reordered()}
	s.split(&n)
	n.DuplicatesBy = s.duplicatesBy()
	s.unknown(&n)
	n.Phantom = s.phantoms()
	if layout.Transactional && !layout.Effects {
		n.Torn, n.AbortedSeen, n.CommittedNotSeen, n.Contradicted = s.torn(), s.abortedSeen(), s.committedNotSeen(), s.contradicted()
	}
	if !layout.ProducerOnly {
		n.Unmatched, n.SecondCopies = s.unmatched()
		for p, confirmed := range s.confirmed {
			if final, known := s.final[p]; known && final < confirmed {
				n.OffsetsWentBack++
			}
		}
		s.inputFaults(&n)
	}
	s.live(&n)
	if !layout.Effects {
		s.stalls(&n)
	}
	return n
}

// unmatched counts visible outputs without an input, and those of records that are visible before them in the same topic.
func (s *slowRow) unmatched() (all, second uint64) {
	type copyOf struct {
		topic string
		id    history.Identity
	}
	matched, seen := map[copyOf]bool{}, map[copyOf]bool{}
	for _, c := range s.copies {
		if c.shown == txns.Visible && !c.orphan {
			matched[copyOf{c.key.topic, c.rec.Identity}] = true
		}
	}
	for _, c := range s.copies {
		if c.shown != txns.Visible || !c.orphan {
			continue
		}
		of := copyOf{c.key.topic, c.rec.Identity}
		if all++; matched[of] || seen[of] {
			second++
		}
		seen[of] = true
	}
	return all, second
}

// split says of every input what became of it.
func (s *slowRow) split(n *figures) {
	seen, behind := s.visibleOf(), map[tpo]bool{}
	for _, c := range s.copies {
		behind[c.key] = behind[c.key] || c.shown == txns.Hidden && !c.orphan
	}
	for _, copies := range seen {
		if len(copies) > 1 {
			n.Duplicates += uint64(len(copies) - 1)
			n.DuplicatedInputs++
		}
	}
	type place struct {
		partition int32
		offset    int64
	}
	some, lacking := map[place]bool{}, map[place]bool{}
	var lost []tpo
	for k := range s.input {
		at := place{k.partition, k.offset}
		switch {
		case len(seen[k]) > 0:
			n.Unique++
			some[at] = true
		case behind[k] || !s.whole(s.numberOf(k)):
			n.Hidden++
		case s.layout.ProducerOnly || k.offset < s.position[k.partition] || s.acknowledged(k, history.OutcomeConfirmed):
			n.Lost++
			lacking[at] = true
			lost = append(lost, k)
		default:
			n.Unprocessed++
			lacking[at] = true
		}
	}
	n.LostBy = s.lostBy(lost)
	if len(s.layout.Further) > 0 {
		n.Split = u(0)
		for at := range some {
			if lacking[at] {
				*n.Split++
			}
		}
	}
}

// numberOf is the output partition that an input's output is due in.
func (s *slowRow) numberOf(k tpo) int32 {
	for i, topic := range s.layout.Outputs() {
		if topic == k.topic {
			return int32(i*parts) + k.partition
		}
	}
	return k.partition
}

// reordered counts, in each output partition, the first copies that come after a later input's first copy.
func (s *slowRow) reordered() (n uint64) {
	type pair struct{ out, in int32 }
	highest := map[pair]int64{}
	first := map[tpo]map[int32]bool{}
	for _, c := range s.copies {
		if c.shown != txns.Visible || c.orphan || first[c.key][c.number] {
			continue
		}
		if first[c.key] == nil {
			first[c.key] = map[int32]bool{}
		}
		first[c.key][c.number] = true
		at := pair{c.number, c.key.partition}
		if high, ok := highest[at]; ok && c.key.offset < high {
			n++
		} else {
			highest[at] = c.key.offset
		}
	}
	return n
}

// hanging counts the producers with a transaction that is still open in the row's output or input.
func (s *slowRow) hanging() uint64 {
	type producer struct {
		id    int64
		epoch int16
	}
	open := map[producer]bool{}
	topics := s.layout.Outputs()
	if !s.layout.ProducerOnly {
		topics = append([]string{inTopic}, topics...)
	}
	for _, topic := range topics {
		for p := range int32(parts) {
			fates, _ := fatesOf(s.w.log(topic, p))
			for i, b := range s.w.log(topic, p).batches {
				if fates[i] == txns.Hidden {
					open[producer{b.ProducerID, b.ProducerEpoch}] = true
				}
			}
		}
	}
	return uint64(len(open))
}

// inputFaults are the shared source's own: acknowledged records that the input log lacks, and those that it has twice.
func (s *slowRow) inputFaults(n *figures) {
	times := map[history.Identity]uint64{}
	for p := range int32(parts) {
		fates, _ := fatesOf(s.w.log(inTopic, p))
		for i, b := range s.w.log(inTopic, p).batches {
			for _, rec := range recordsOf(b) {
				if rec.Status == observation.Input && fates[i] != txns.Aborted {
					times[rec.Identity]++
				}
			}
		}
	}
	for _, k := range times {
		n.IdentityTwice += k - 1
	}
	for seq, end := range s.source.ends {
		p := int32(seq % parts)
		if end != ackedEnd || times[history.Identity{Source: s.layout.Source, Sequence: seq}] > 0 || !s.index.Partition(inTopic, p).Complete {
			continue
		}
		n.AckedAbsent++
		if n.AckedAbsentBy == nil {
			n.AckedAbsentBy = map[string]uint64{}
		}
		n.AckedAbsentBy[s.goneFrom(inTopic, seq)]++
	}
}

// live counts the inputs that the live reader never got.
func (s *slowRow) live(n *figures) {
	var shown uint64
	for _, e := range s.w.hist("observer-live").entries {
		if x, ok := e.(*history.DeliveredLive); ok {
			for _, topic := range s.layout.Outputs() {
				if x.Topic == topic {
					shown += x.New
				}
			}
		}
	}
	shown -= min(shown, s.shownUndue())
	n.NeverLive = n.Input - min(n.Input, shown)
}

// shownUndue counts what the live reader took for inputs and the row did not owe, partition by partition.
func (s *slowRow) shownUndue() (n uint64) {
	keys, shown := map[int32]map[tpo]bool{}, map[int32]uint64{}
	for _, c := range s.copies {
		if c.decided != txns.Visible || !c.orphan && (!s.layout.ProducerOnly || s.input[c.key]) {
			continue
		}
		if keys[c.number] == nil {
			keys[c.number] = map[tpo]bool{}
		}
		key := c.key
		if c.orphan {
			key = tpo{"", c.rec.Partition, c.rec.Origin.Offset}
		}
		keys[c.number][key] = true
		if s.delivered(c.number, c.rec.Offset) {
			shown[c.number]++
		}
	}
	for number, of := range keys {
		n += min(uint64(len(of)), shown[number])
	}
	return n
}

// delivered reports whether a poll of the live reader reached over an offset of the output.
func (s *slowRow) delivered(number int32, offset int64) bool {
	topic, p := s.layout.Place(number, parts)
	return slices.ContainsFunc(s.w.hist("observer-live").entries, func(e history.Entry) bool {
		x, ok := e.(*history.DeliveredLive)
		return ok && x.Topic == topic && x.Partition == p && x.From <= offset && offset < x.To
	})
}
