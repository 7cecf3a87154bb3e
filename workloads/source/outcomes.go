package workloads

import (
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

const (
	// settleEvery is how often outcomes are looked at. They are written once there are settleMost of them or the oldest is
	// settleAge old: enough to keep an acknowledgement under 8 bytes. What a killed source had not written is unknown.
	settleEvery = 10 * time.Millisecond
	settleMost  = 64
	settleAge   = 100 * time.Millisecond
)

// settlements collects the outcomes of a source's records as runs until they are written.
type settlements struct {
	mu     sync.Mutex
	stride uint64
	acked  runs
	other  map[fate]runs
	// count are the records since the last take, the oldest of which was added at since.
	count int
	since history.Time
}

// fate is what the records of one Settled entry have in common.
type fate struct {
	outcome history.Outcome
	sent    bool
	reason  string
}

// runs are runs of records in the order they were settled; each record extends its partition's newest run if it can.
type runs struct {
	list   []history.AckRun
	newest map[int32]int
}

func (r *runs) add(partition int32, sequence uint64, offset int64, stride uint64) {
	if i, ok := r.newest[partition]; ok {
		run := &r.list[i]
		follows := offset < 0 && run.Offset < 0 || offset >= 0 && run.Offset >= 0 && offset == run.Offset+int64(run.Count)
		if follows && sequence == run.First+run.Count*stride {
			run.Count++
			return
		}
	}
	if r.newest == nil {
		r.newest = map[int32]int{}
	}
	r.newest[partition] = len(r.list)
	seq := history.SeqRun{First: sequence, Stride: stride, Count: 1}
	r.list = append(r.list, history.AckRun{Partition: partition, SeqRun: seq, Offset: max(offset, -1)})
}

// ack adds an acknowledged record.
func (s *settlements) ack(partition int32, sequence uint64, offset int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked.add(partition, sequence, offset, s.stride)
	s.added()
}

// settle adds a record with another fate.
func (s *settlements) settle(f fate, partition int32, sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.other == nil {
		s.other = map[fate]runs{}
	}
	r := s.other[f]
	r.add(partition, sequence, -1, s.stride)
	s.other[f] = r
	s.added()
}

func (s *settlements) added() {
	if s.count == 0 {
		s.since = history.Now()
	}
	s.count++
}

// take returns the entries to write: all there is, or nothing when it is too little and too young.
func (s *settlements) take(all bool) []history.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := history.Now()
	if s.count == 0 || !all && s.count < settleMost && now.Sub(s.since) < settleAge {
		return nil
	}
	var entries []history.Entry
	if len(s.acked.list) > 0 {
		entries = append(entries, &history.Acked{At: now, Runs: s.acked.list})
	}
	for f, r := range s.other {
		e := &history.Settled{At: now, Outcome: f.outcome, Sent: f.sent, Reason: f.reason}
		for _, run := range r.list {
			e.Runs = append(e.Runs, run.SeqRun)
		}
		entries = append(entries, e)
	}
	s.acked, s.other, s.count = runs{}, nil, 0
	return entries
}
