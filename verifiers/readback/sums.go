package readback

import (
	"fmt"
	"hash/crc32"

	"github.com/chaeos/chaeos/verifiers/observation"
)

// sum adds up records in any order: the same records give the same sum, whoever delivers them.
type sum struct{ count, hash uint64 }

func (s *sum) add(offset int64, value []byte) {
	s.count++
	s.hash += mix(uint64(offset)<<32 ^ uint64(crc32.Checksum(value, castagnoli)))
}

func (s *sum) merge(o sum) { s.count, s.hash = s.count+o.count, s.hash+o.hash }

func (s sum) saved() observation.Sum {
	return observation.Sum{Count: s.count, Hash: fmt.Sprintf("%016x", s.hash)}
}

// mix is splitmix64's finaliser: without it, sums of neighbouring offsets would cancel out.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sums adds up what a read_committed reader must see below the last stable offset: a transaction's records count once
// its commit marker is read.
type sums struct {
	lso     int64
	plain   sum
	pending map[int64]sum
	batchOf sum
}

func newSums(lso int64) *sums { return &sums{lso: lso, pending: map[int64]sum{}} }

func (s *sums) see(offset int64, value []byte) {
	if offset < s.lso {
		s.batchOf.add(offset, value)
	}
}

// batch takes the records seen since the batch before.
func (s *sums) batch(b *observation.Batch) {
	got := s.batchOf
	s.batchOf = sum{}
	switch {
	case b.Damaged:
	case !b.Transactional:
		s.plain.merge(got)
	case !b.Control:
		got.merge(s.pending[b.ProducerID])
		s.pending[b.ProducerID] = got
	default:
		if b.Marker == observation.MarkerCommit {
			s.plain.merge(s.pending[b.ProducerID])
		}
		delete(s.pending, b.ProducerID)
	}
}

func (s *sums) committed() observation.Sum { return s.plain.saved() }
