package history

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"sync"
)

// RunID identifies a run inside every record it writes.
type RunID uint64

// RunIDOf derives the id from a run's name (FNV-1a), so that a saved run can be matched with its records.
func RunIDOf(name string) RunID {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // hash.Hash never fails
	return RunID(h.Sum64())
}

// Identity is who an input record is: which source made it, and its sequence, dense from 0 within the source.
type Identity struct {
	Source   uint16 `json:"source"`
	Sequence uint64 `json:"sequence"`
}

// Input is the envelope of a record that a source wrote.
type Input struct {
	Run RunID
	Identity
	// Scheduled is when the open-loop pace wanted the record sent: its creation time, whatever happened after.
	Scheduled Time
}

// Origin is where an output comes from: which input record, and which processing of it.
type Origin struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
	// Worker and Incarnation are the process that produced the output.
	Worker      uint16 `json:"worker"`
	Incarnation uint32 `json:"incarnation"`
	// Processing is new, within an incarnation, for each delivery of a record from a poll.
	Processing uint64 `json:"processing"`
	// Txn is the transaction's ordinal within the incarnation, from 1; 0 outside transactions.
	Txn uint64 `json:"txn"`
}

// Output is the envelope of a record that a pipeline wrote: its input's identity and where it comes from.
type Output struct {
	Input
	Origin
}

const (
	envelopeMagic = 0x63684531 // "chE1"
	inputSize     = 36
	sequenceAt    = 16
	// OutputSize is the smallest value, in bytes, that holds an output's envelope; every record is at least as large.
	OutputSize = 70
	kindInput  = 1
	kindOutput = 2
	crcAt      = 32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Errors of the envelope decoder.
var (
	// ErrForeign: the value is no chaeos envelope at all.
	ErrForeign = errors.New("not a chaeos record")
	// ErrCorrupt: the value claims to be an envelope, but its length or CRC-32C is wrong.
	ErrCorrupt = errors.New("corrupt chaeos record")
)

// AppendInput appends a source record's value, padded to size bytes (OutputSize at the least). The padding depends on
// the identity, and the CRC-32C covers it, so a right header with a wrong body is found.
func AppendInput(dst []byte, in Input, size int) []byte {
	start := len(dst)
	dst = appendHead(dst, in, kindInput)
	return seal(pad(dst, start, size, in.Identity), start)
}

// AppendOutput appends a pipeline record's value, padded to size bytes.
func AppendOutput(dst []byte, out Output, size int) []byte {
	start := len(dst)
	dst = appendHead(dst, out.Input, kindOutput)
	dst = binary.BigEndian.AppendUint32(dst, uint32(out.Partition))
	dst = binary.BigEndian.AppendUint64(dst, uint64(out.Offset))
	dst = binary.BigEndian.AppendUint16(dst, out.Worker)
	dst = binary.BigEndian.AppendUint32(dst, out.Incarnation)
	dst = binary.BigEndian.AppendUint64(dst, out.Processing)
	dst = binary.BigEndian.AppendUint64(dst, out.Txn)
	return seal(pad(dst, start, size, out.Identity), start)
}

func appendHead(dst []byte, in Input, kind byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, envelopeMagic)
	dst = binary.BigEndian.AppendUint64(dst, uint64(in.Run))
	dst = binary.BigEndian.AppendUint16(dst, in.Source)
	dst = append(dst, kind, 0)
	dst = binary.BigEndian.AppendUint64(dst, in.Sequence)
	dst = binary.BigEndian.AppendUint64(dst, uint64(in.Scheduled))
	return append(dst, 0, 0, 0, 0) // the CRC's place
}

// paddingSize is how many bytes of padding there are to choose from: a power of two, and large enough that two records of
// one batch hardly ever share some.
const paddingSize = 1 << 20

// padding is noise, made once: drawing it for each record took longer than sending the record.
var padding = sync.OnceValue(func() []byte {
	noise := make([]byte, 0, paddingSize)
	for x := uint64(1); len(noise) < paddingSize; {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		noise = binary.LittleEndian.AppendUint64(noise, x)
	}
	return noise
})

// pad fills up with noise that differs from record to record, so that compression can't hide the size.
func pad(dst []byte, start, size int, id Identity) []byte {
	noise := padding()
	from := (id.Sequence + uint64(id.Source)<<48 + 1) * 0x9E3779B97F4A7C15 >> 44 // the top 20 bits: below paddingSize
	for want := start + max(size, OutputSize); len(dst) < want; from = 0 {
		dst = append(dst, noise[from:min(paddingSize, from+uint64(want-len(dst)))]...)
	}
	return dst
}

func seal(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start+crcAt:], envelopeCRC(dst[start:]))
	return dst
}

func envelopeCRC(v []byte) uint32 {
	return crc32.Update(crc32.Checksum(v[:crcAt], castagnoli), castagnoli, v[inputSize:])
}

// Decode reads a record's value. IsOutput reports whether a pipeline wrote it (then Origin is set) or a source. It returns
// ErrForeign or ErrCorrupt, and allocates nothing.
func Decode(v []byte) (out Output, isOutput bool, err error) {
	isOutput, err = DecodeInto(v, &out)
	return out, isOutput, err
}

// DecodeInto is Decode for many records: it fills out, and leaves its Origin alone if a source wrote the record. After an
// error nothing in out means anything.
func DecodeInto(v []byte, out *Output) (isOutput bool, err error) {
	if len(v) < 4 || binary.BigEndian.Uint32(v) != envelopeMagic {
		return false, ErrForeign
	}
	if len(v) < OutputSize || binary.BigEndian.Uint32(v[crcAt:]) != envelopeCRC(v) {
		return false, ErrCorrupt
	}
	out.Run = RunID(binary.BigEndian.Uint64(v[4:]))
	out.Source = binary.BigEndian.Uint16(v[12:])
	out.Sequence = SequenceOf(v)
	out.Scheduled = Time(binary.BigEndian.Uint64(v[24:]))
	switch v[14] {
	case kindInput:
		return false, nil
	case kindOutput:
		out.Origin = decodeOrigin(v[inputSize:OutputSize])
		return true, nil
	}
	return false, ErrCorrupt
}

// SequenceOf is the sequence in a value that this process made a moment ago: nothing is checked.
func SequenceOf(v []byte) uint64 { return binary.BigEndian.Uint64(v[sequenceAt:]) }

// ChecksumOf is the CRC-32C in a value that Decode found sound: it stands for all of the value.
func ChecksumOf(v []byte) uint32 { return binary.BigEndian.Uint32(v[crcAt:]) }

func decodeOrigin(b []byte) Origin {
	return Origin{
		Partition:   int32(binary.BigEndian.Uint32(b)),
		Offset:      int64(binary.BigEndian.Uint64(b[4:])),
		Worker:      binary.BigEndian.Uint16(b[12:]),
		Incarnation: binary.BigEndian.Uint32(b[14:]),
		Processing:  binary.BigEndian.Uint64(b[18:]),
		Txn:         binary.BigEndian.Uint64(b[26:]),
	}
}
