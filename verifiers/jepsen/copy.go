package jepsen

import (
	"cmp"
	"encoding/binary"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// incarnation is one process of a worker.
type incarnation struct {
	worker uint16
	number uint32
}

// copied is one output in a log, as its maker's history is matched with it: by who made it and in which processing.
type copied struct {
	by         incarnation
	processing uint64
	txn        uint64
	// number is its output partition's.
	number  int32
	visible bool
	offset  int64
	history.Identity
}

// copySize is a copy's size on disk.
const copySize = 2 + 4 + 8 + 8 + 4 + 1 + 8 + 2 + 8

func copyOf(number int32, s *stored) copied {
	return copied{
		by: incarnation{s.Worker, s.Incarnation}, processing: s.Processing, txn: s.Txn, number: number, visible: s.visible,
		offset: s.Offset, Identity: s.Identity,
	}
}

// order is that in which a worker's history tells of them; of several copies of one output the visible ones come first.
func order(a, b copied) int {
	if a.by != b.by {
		return cmp.Or(cmp.Compare(a.by.worker, b.by.worker), cmp.Compare(a.by.number, b.by.number))
	}
	if a.processing != b.processing {
		return cmp.Compare(a.processing, b.processing)
	}
	if a.number != b.number {
		return cmp.Compare(a.number, b.number)
	}
	if a.visible != b.visible {
		if a.visible {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.offset, b.offset)
}

func (c copied) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, c.by.worker)
	b = binary.BigEndian.AppendUint32(b, c.by.number)
	b = binary.BigEndian.AppendUint64(b, c.processing)
	b = binary.BigEndian.AppendUint64(b, c.txn)
	b = binary.BigEndian.AppendUint32(b, uint32(c.number))
	seen := byte(0)
	if c.visible {
		seen = 1
	}
	b = binary.BigEndian.AppendUint64(append(b, seen), uint64(c.offset))
	b = binary.BigEndian.AppendUint16(b, c.Source)
	return binary.BigEndian.AppendUint64(b, c.Sequence)
}

func readCopy(b []byte) (c copied) {
	c.by.worker = binary.BigEndian.Uint16(b)
	c.by.number = binary.BigEndian.Uint32(b[2:])
	c.processing = binary.BigEndian.Uint64(b[6:])
	c.txn = binary.BigEndian.Uint64(b[14:])
	c.number = int32(binary.BigEndian.Uint32(b[22:]))
	c.visible = b[26] == 1
	c.offset = int64(binary.BigEndian.Uint64(b[27:]))
	c.Source = binary.BigEndian.Uint16(b[35:])
	c.Sequence = binary.BigEndian.Uint64(b[37:])
	return c
}

// value names it, as the logs name the record.
func (c copied) value() value {
	return nameOf(0, &observation.Record{
		Status: observation.Output, Identity: c.Identity,
		Origin: history.Origin{Worker: c.by.worker, Incarnation: c.by.number, Processing: c.processing},
	})
}
