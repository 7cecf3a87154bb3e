package readback

import (
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// segmentOffsets is how many offsets share a hash: where two replicas' hashes differ, that much is read again.
const segmentOffsets = 4096

// fingerprint is what is kept of a log to compare replicas of it: a hash over the batches of each segment.
type fingerprint struct{ segments []segmentHash }

// segmentHash is the hash of the batches whose first offsets are from Number times segmentOffsets on.
type segmentHash struct {
	number int64
	hash   uint64
}

// add adds the next batch of the log. The sum is what the CRC of its content should be: the content is in it.
func (f *fingerprint) add(b *kmsg.RecordBatch, sum uint32) {
	number := b.FirstOffset / segmentOffsets
	if n := len(f.segments); n == 0 || f.segments[n-1].number != number {
		f.segments = append(f.segments, segmentHash{number: number})
	}
	last := &f.segments[len(f.segments)-1]
	for _, x := range [...]uint64{
		uint64(b.FirstOffset), uint64(b.LastOffsetDelta)<<32 | uint64(uint32(b.PartitionLeaderEpoch)), uint64(b.ProducerID),
		uint64(uint16(b.ProducerEpoch))<<32 | uint64(uint32(b.FirstSequence)), uint64(uint32(b.CRC))<<32 | uint64(sum),
	} {
		last.hash = mixed(last.hash ^ x)
	}
}

// differing lists the segments in which two logs are not the same, in order.
func (f *fingerprint) differing(o *fingerprint) (numbers []int64) {
	i, j := 0, 0
	for i < len(f.segments) || j < len(o.segments) {
		switch {
		case j == len(o.segments) || i < len(f.segments) && f.segments[i].number < o.segments[j].number:
			numbers = append(numbers, f.segments[i].number)
			i++
		case i == len(f.segments) || o.segments[j].number < f.segments[i].number:
			numbers = append(numbers, o.segments[j].number)
			j++
		default:
			if f.segments[i].hash != o.segments[j].hash {
				numbers = append(numbers, f.segments[i].number)
			}
			i, j = i+1, j+1
		}
	}
	return numbers
}

// mixed is splitmix64's finaliser.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// contentSum is the checksum of what a batch's CRC covers.
func contentSum(raw []byte) uint32 { return crc32.Checksum(raw[crcFrom:], castagnoli) }

// skim goes through the whole batches in raw from next up to end without looking into them, and returns the offset after the last.
func skim(raw []byte, next, end int64, see func(b *kmsg.RecordBatch, sum uint32)) (int64, error) {
	var b kmsg.RecordBatch
	for len(raw) >= batchHeader && next < end {
		size, err := header(raw, &b)
		if err != nil {
			return next, err
		}
		if size > int64(len(raw)) {
			break
		}
		if last := lastOffset(&b); last >= next {
			see(&b, contentSum(raw[:size]))
			next = last + 1
		}
		raw = raw[size:]
	}
	return next, nil
}
