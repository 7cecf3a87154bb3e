package observation

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/chaeos/chaeos/harness/history"
)

var errMalformed = errors.New("malformed frame")

// column names one field of a record, as the signed number it is stored as: get takes it out of all records, set puts it in.
type column struct {
	get func([]Record, []int64)
	set func([]Record, []int64)
	// low and high bound what a reader accepts.
	low, high int64
}

var inputColumns = []column{
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = rs[i].Offset
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Offset = v[i]
		}
	}, 0, math.MaxInt64},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Status)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Status = Status(v[i])
		}
	}, 0, int64(lastStatus)},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Source)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Source = uint16(v[i])
		}
	}, 0, math.MaxUint16},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Sequence)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Sequence = uint64(v[i])
		}
	}, math.MinInt64, math.MaxInt64},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Scheduled)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Scheduled = history.Time(v[i])
		}
	}, math.MinInt64, math.MaxInt64},
}

var originColumns = []column{
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Partition)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Partition = int32(v[i])
		}
	}, math.MinInt32, math.MaxInt32},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = rs[i].Origin.Offset
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Origin.Offset = v[i]
		}
	}, math.MinInt64, math.MaxInt64},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Worker)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Worker = uint16(v[i])
		}
	}, 0, math.MaxUint16},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Incarnation)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Incarnation = uint32(v[i])
		}
	}, 0, math.MaxUint32},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Processing)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Processing = uint64(v[i])
		}
	}, math.MinInt64, math.MaxInt64},
	{func(rs []Record, v []int64) {
		for i := range rs {
			v[i] = int64(rs[i].Txn)
		}
	}, func(rs []Record, v []int64) {
		for i := range rs {
			rs[i].Txn = uint64(v[i])
		}
	}, math.MinInt64, math.MaxInt64},
}

// appendColumn writes a column as runs of a constant difference: difference (zig-zag), length. Differences wrap, so
// that every 64-bit value has a place.
func appendColumn(dst []byte, v []int64) []byte {
	var prev int64
	for i := 0; i < len(v); {
		step := v[i] - prev
		prev = v[i]
		n := 1
		for _, next := range v[i+1:] {
			if next-prev != step {
				break
			}
			prev = next
			n++
		}
		dst = binary.AppendVarint(dst, step)
		dst = binary.AppendUvarint(dst, uint64(n))
		i += n
	}
	return dst
}

// readColumn fills v and returns what follows the column.
func readColumn(b []byte, v []int64, c column) ([]byte, error) {
	var prev int64
	for i := 0; i < len(v); {
		step, n := binary.Varint(b)
		if n <= 0 {
			return nil, errMalformed
		}
		b = b[n:]
		count, n := binary.Uvarint(b)
		if n <= 0 || count == 0 || count > uint64(len(v)-i) {
			return nil, errMalformed
		}
		b = b[n:]
		for end := i + int(count); i < end; i++ {
			prev += step
			v[i] = prev
			if prev < c.low || prev > c.high {
				return nil, errMalformed
			}
		}
	}
	return b, nil
}
