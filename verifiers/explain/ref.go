package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Ref names a record as people do: by its identity, or by a place in a log.
type Ref struct {
	// ByPlace means that Topic, Partition and Offset name it; otherwise Identity does.
	ByPlace bool
	// AnySource means that no source was named: the shared one is meant, unless a pipeline with its own source is.
	AnySource bool
	history.Identity
	// Topic is a topic's name, "input", or a pipeline's name for its output.
	Topic     string
	Partition int32
	Offset    int64
}

const refForms = "a record is a sequence (4711), source/sequence (1/4711) or topic/partition@offset (input/0@90, acks1/0@90)"

// ParseRef reads a reference. What it can't read is a usage error.
func ParseRef(text string) (Ref, error) {
	refuse := func() (Ref, error) {
		return Ref{}, harness.UsageError{Reason: fmt.Sprintf("%q names no record: %s", text, refForms)}
	}
	place, offset, byPlace := strings.Cut(text, "@")
	if byPlace {
		slash := strings.LastIndex(place, "/")
		if slash <= 0 {
			return refuse()
		}
		partition, err1 := strconv.ParseInt(place[slash+1:], 10, 32)
		at, err2 := strconv.ParseInt(offset, 10, 64)
		if err1 != nil || err2 != nil || partition < 0 || at < 0 {
			return refuse()
		}
		return Ref{ByPlace: true, Topic: place[:slash], Partition: int32(partition), Offset: at}, nil
	}
	source, sequence, named := strings.Cut(text, "/")
	if !named {
		source, sequence = "0", text
	}
	n, err1 := strconv.ParseUint(source, 10, 16)
	s, err2 := strconv.ParseUint(sequence, 10, 64)
	if err1 != nil || err2 != nil {
		return refuse()
	}
	return Ref{AnySource: !named, Identity: history.Identity{Source: uint16(n), Sequence: s}}, nil
}
