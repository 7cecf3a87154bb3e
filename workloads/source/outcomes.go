package source

import (
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

const (
	// writeEvery is how often a source looks at its outcomes. It writes them once there are writeMost of them or the oldest
	// is writeAge old: enough to keep an acknowledgement under 8 bytes. What a killed source had not written is unknown.
	writeEvery = 10 * time.Millisecond
	writeMost  = 64
	writeAge   = 100 * time.Millisecond
)

// outcomes collects the outcomes of a source's records as spans until they are written.
type outcomes struct {
	mu     sync.Mutex
	stride uint64
	acked  spans
	other  map[resolution]spans
	// count are the records since the last take, the oldest of which was added at since.
	count int
	since history.Time
}

// resolution is what the records of one Settled entry have in common.
type resolution struct {
	outcome history.Outcome
	sent    bool
	reason  string
}

// spans are spans of records in the order of their outcomes. Each record extends its partition's newest span if it can.
type spans struct {
	list   []history.AckSpan
	newest map[int32]int
}

func (s *spans) add(partition int32, sequence uint64, offset int64, stride uint64) {
	if i, ok := s.newest[partition]; ok {
		last := &s.list[i]
		follows := offset < 0 && last.Offset < 0 || offset >= 0 && last.Offset >= 0 && offset == last.Offset+int64(last.Count)
		if follows && sequence == last.First+last.Count*stride {
			last.Count++
			return
		}
	}
	if s.newest == nil {
		s.newest = map[int32]int{}
	}
	s.newest[partition] = len(s.list)
	sequences := history.SequenceSpan{First: sequence, Stride: stride, Count: 1}
	s.list = append(s.list, history.AckSpan{Partition: partition, SequenceSpan: sequences, Offset: max(offset, -1)})
}

// ack adds an acknowledged record.
func (o *outcomes) ack(partition int32, sequence uint64, offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.acked.add(partition, sequence, offset, o.stride)
	o.added()
}

// resolve adds a record with another outcome.
func (o *outcomes) resolve(r resolution, partition int32, sequence uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.other == nil {
		o.other = map[resolution]spans{}
	}
	s := o.other[r]
	s.add(partition, sequence, -1, o.stride)
	o.other[r] = s
	o.added()
}

func (o *outcomes) added() {
	if o.count == 0 {
		o.since = history.Now()
	}
	o.count++
}

// take returns the entries to write: all there are, or none if they are few and young.
func (o *outcomes) take(all bool) []history.Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := history.Now()
	if o.count == 0 || !all && o.count < writeMost && now.Sub(o.since) < writeAge {
		return nil
	}
	var entries []history.Entry
	if len(o.acked.list) > 0 {
		entries = append(entries, &history.Acked{Stamp: history.At(now), Spans: o.acked.list})
	}
	for r, s := range o.other {
		e := &history.Resolved{Stamp: history.At(now), Outcome: r.outcome, Sent: r.sent, Reason: r.reason}
		for _, span := range s.list {
			e.Spans = append(e.Spans, span.SequenceSpan)
		}
		entries = append(entries, e)
	}
	o.acked, o.other, o.count = spans{}, nil, 0
	return entries
}
