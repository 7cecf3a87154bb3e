package jepsen

import (
	"strconv"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// value names a message. Jepsen wants each message of a key to be unique, so an output is named after the processing that
// made it, and a second processing of the same input is another message; the keys of the pipeline as a whole name inputs,
// and there it is the same message twice. Values are strings: a vector would be read as an offset and a value.
type value struct {
	form form
	history.Identity
	worker      uint16
	incarnation uint32
	processing  uint64
	// partition and offset are the input's place, or the key and offset of what has no name.
	partition int32
	offset    int64
}

type form uint8

// The forms of a value, and how each is written.
const (
	// sent: what a source sent, "source.sequence".
	sent form = iota
	// made: what a worker made of it, "source.sequence/worker.incarnation.processing".
	made
	// through: an input, "partition@offset".
	through
	// nameless: a record that is not this run's, or can't be read, "?key@offset".
	nameless
)

func (v value) append(b []byte) []byte {
	b = append(b, '"')
	switch v.form {
	case sent, made:
		b = strconv.AppendUint(b, uint64(v.Source), 10)
		b = strconv.AppendUint(append(b, '.'), v.Sequence, 10)
		if v.form == made {
			b = strconv.AppendUint(append(b, '/'), uint64(v.worker), 10)
			b = strconv.AppendUint(append(b, '.'), uint64(v.incarnation), 10)
			b = strconv.AppendUint(append(b, '.'), v.processing, 10)
		}
	case through, nameless:
		if v.form == nameless {
			b = append(b, '?')
		}
		b = strconv.AppendInt(b, int64(v.partition), 10)
		b = strconv.AppendInt(append(b, '@'), v.offset, 10)
	}
	return append(b, '"')
}

// nameOf names a record of a log.
func nameOf(key int32, r *observation.Record) value {
	switch r.Status {
	case observation.Input:
		return value{form: sent, Identity: r.Identity}
	case observation.Output:
		return value{form: made, Identity: r.Identity, worker: r.Worker, incarnation: r.Incarnation, processing: r.Processing}
	}
	return value{form: nameless, partition: key, offset: r.Offset}
}

func inputAt(partition int32, offset int64) value {
	return value{form: through, partition: partition, offset: offset}
}
