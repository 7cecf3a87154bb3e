package readback

import (
	"fmt"
	"hash/crc32"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// sum adds up records in any order: the same records give the same sum, in whatever order they come.
type sum struct{ count, hash uint64 }

// add takes a record with the digest of its value.
func (s *sum) add(offset int64, digest uint32) {
	s.count++
	s.hash += mix(uint64(offset)<<32 ^ uint64(digest))
}

// digest is the CRC-32C in a sound envelope, which decoding has just compared with all of the value. Of any other value it is
// the value's own.
func digest(value []byte, err error) uint32 {
	if err == nil {
		return history.ChecksumOf(value)
	}
	return crc32.Checksum(value, castagnoli)
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

// segment is a part of a log, from one batch to the next segment, with what a read_committed reader must get of it.
type segment struct {
	from      int64
	bytes     int64
	committed sum
	// aborted means that it holds records of an aborted transaction, or the marker of one.
	aborted bool
}

// sums adds up, by segment, what a read_committed reader must get below the last stable offset: a transaction's records
// count once its commit marker is read.
type sums struct {
	lso int64
	// segmentBytes is how many bytes of values a segment holds at least.
	segmentBytes int64
	segments     []segment
	// pending are the open transactions' records, by producer and segment.
	pending map[int64][]pendingSum
	batchOf sum
	bytes   int64
	// stored is the size of all batches, values that of the values in them.
	stored, values int64
}

type pendingSum struct {
	segment int
	sum     sum
}

func newSums(lso, segmentBytes int64) *sums {
	return &sums{lso: lso, segmentBytes: segmentBytes, pending: map[int64][]pendingSum{}}
}

// see takes a record's value, and the error that decoding it gave.
func (s *sums) see(offset int64, value []byte, err error) {
	s.bytes += int64(len(value))
	if offset < s.lso {
		s.batchOf.add(offset, digest(value, err))
	}
}

// batch takes the records that were shown since the batch before.
func (s *sums) batch(b *observation.Batch) {
	got, bytes := s.batchOf, s.bytes
	s.batchOf, s.bytes = sum{}, 0
	s.stored, s.values = s.stored+int64(b.Bytes), s.values+bytes
	if b.First >= s.lso {
		return
	}
	at := len(s.segments) - 1
	if at < 0 || s.segments[at].bytes >= s.segmentBytes {
		s.segments = append(s.segments, segment{from: b.First})
		at++
	}
	s.segments[at].bytes += bytes
	switch {
	case b.Damaged:
	case !b.Transactional:
		s.segments[at].committed.merge(got)
	case !b.Control:
		s.wait(b.ProducerID, at, got)
	default:
		s.end(b, at)
	}
}

func (s *sums) wait(producer int64, at int, got sum) {
	list := s.pending[producer]
	if n := len(list); n > 0 && list[n-1].segment == at {
		list[n-1].sum.merge(got)
		return
	}
	s.pending[producer] = append(list, pendingSum{at, got})
}

func (s *sums) end(b *observation.Batch, at int) {
	for _, p := range s.pending[b.ProducerID] {
		switch b.Marker {
		case observation.MarkerCommit:
			s.segments[p.segment].committed.merge(p.sum)
		case observation.MarkerAbort:
			s.segments[p.segment].aborted, s.segments[at].aborted = true, true
		}
	}
	delete(s.pending, b.ProducerID)
}

// fetchBytes is how much a client has to fetch at once to get about values bytes of values, and not more: a client
// decompresses all that it fetched, and makes records of it, before it delivers the first.
func (s *sums) fetchBytes(values int64) int32 {
	if s.values <= s.stored {
		return int32(values)
	}
	return int32(max(1, values*s.stored/s.values)) // the first batch comes whole, whatever its size
}

// committed is the whole log's sum.
func (s *sums) committed() observation.Sum {
	var all sum
	for i := range s.segments {
		all.merge(s.segments[i].committed)
	}
	return all.saved()
}
