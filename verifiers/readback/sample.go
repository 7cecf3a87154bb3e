package readback

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/verifiers/observation"
)

// sampling is how much of the logs a read_committed client reads, in bytes of values, uncompressed and over all partitions.
type sampling struct {
	// Logs of up to whole bytes are read whole, of larger ones sample bytes. Segment is the least size of a piece.
	whole, sample, segment int64
}

// defaultSampling reads a million records of 100 bytes whole: a poll loop takes about half a second for them. Of larger
// logs it reads little enough that the raw read-back, several times as fast, doesn't wait for it.
var defaultSampling = sampling{whole: 128 << 20, sample: 24 << 20, segment: 2 << 20}

// Why a segment is chosen, the most important first.
const (
	atAnEnd = iota
	holdsAborts
	anywhere
)

// candidate is one segment of one partition.
type candidate struct {
	partition, segment, why int
	bytes                   int64
}

// choose picks what the client reads, by partition: everything, or segments that make up a sample. Those are the first and
// the last of each partition, then segments that hold aborted records or their markers, then others, spread evenly and the
// same each time.
func (s sampling) choose(logs [][]segment) [][]int {
	var all []candidate
	var total int64
	for p, segments := range logs {
		for i, x := range segments {
			why := anywhere
			switch {
			case i == 0 || i == len(segments)-1:
				why = atAnEnd
			case x.aborted:
				why = holdsAborts
			}
			all = append(all, candidate{p, i, why, x.bytes})
			total += x.bytes
		}
	}
	if total > s.whole {
		spread := func(c candidate) uint64 { return mix(uint64(c.segment)<<20 ^ uint64(c.partition)) }
		slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.why, b.why), cmp.Compare(spread(a), spread(b))) })
		var taken int64
		end := slices.IndexFunc(all, func(c candidate) bool { taken += c.bytes; return taken > s.sample && c.why != atAnEnd })
		if end >= 0 {
			all = all[:end]
		}
	}
	chosen := make([][]int, len(logs))
	for _, c := range all {
		chosen[c.partition] = append(chosen[c.partition], c.segment)
	}
	for _, of := range chosen {
		slices.Sort(of)
	}
	return chosen
}

// ranges joins a partition's chosen segments where they are neighbours.
func ranges(segments []segment, chosen []int, end int64) []observation.Range {
	var all []observation.Range
	var committed sum
	for n, i := range chosen {
		if n == 0 || chosen[n-1] != i-1 {
			all = append(all, observation.Range{From: segments[i].from})
			committed = sum{}
		}
		committed.merge(segments[i].committed)
		last := &all[len(all)-1]
		last.To, last.Committed = end, committed.saved()
		if i+1 < len(segments) {
			last.To = segments[i+1].from
		}
	}
	return all
}
