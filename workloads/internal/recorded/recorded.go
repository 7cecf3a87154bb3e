// Package recorded is for tests: it reads the entries of histories.
package recorded

import (
	"github.com/chaeos/chaeos/harness/history"
)

// Of are the entries of one kind.
func Of[T history.Entry](entries []history.Entry) []T {
	var all []T
	for _, e := range entries {
		if t, ok := e.(T); ok {
			all = append(all, t)
		}
	}
	return all
}

// Location is a record's partition and offset.
type Location struct {
	Partition int32
	Offset    int64
}

// At is a location.
func At(partition int32, offset int64) Location { return Location{partition, offset} }

// Acked are the locations of the acknowledged records, by sequence.
func Acked(entries []history.Entry) map[uint64]Location {
	acked := map[uint64]Location{}
	for _, e := range Of[*history.Acked](entries) {
		for _, span := range e.Spans {
			for i := range span.Count {
				offset := span.Offset
				if offset >= 0 {
					offset += int64(i)
				}
				acked[span.First+i*span.Stride] = Location{span.Partition, offset}
			}
		}
	}
	return acked
}

// Others counts the records with another outcome than an acknowledgement, by outcome and reason.
func Others(entries []history.Entry) map[history.Outcome]map[string]int {
	n := map[history.Outcome]map[string]int{}
	for _, e := range Of[*history.Resolved](entries) {
		if n[e.Outcome] == nil {
			n[e.Outcome] = map[string]int{}
		}
		for _, r := range e.Spans {
			n[e.Outcome][e.Reason] += int(r.Count)
		}
	}
	return n
}

// WithReason counts the records with an outcome that have a reason.
func WithReason(entries []history.Entry, outcome history.Outcome) (n int) {
	for reason, count := range Others(entries)[outcome] {
		if reason != "" {
			n += count
		}
	}
	return n
}
