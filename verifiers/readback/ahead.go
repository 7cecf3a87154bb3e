package readback

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// rawFetchVersion is the last version that names topics. Every broker since 2.7 knows it.
const rawFetchVersion = 12

// buffered is how many answers of one partition there are at a time: while one is walked, the next is on its way.
const buffered = 2

// buffers are what answers are read into. They go from partition to partition.
type buffers struct {
	mu   sync.Mutex
	free []*[]byte
}

func (b *buffers) get() *[]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) == 0 {
		return new([]byte)
	}
	last := b.free[len(b.free)-1]
	b.free = b.free[:len(b.free)-1]
	return last
}

func (b *buffers) put(one *[]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, one)
}

// drop forgets them all and frees their memory for what comes next: as garbage it would let the heap grow by as much again.
func (b *buffers) drop() {
	b.mu.Lock()
	b.free = nil
	b.mu.Unlock()
	runtime.GC()
}

// ahead fetches one partition's log from one leader, ahead of the walker.
type ahead struct {
	conn     *brokers.Conn
	leader   ask.Leader
	question question
	// end is where the log ends. At isolation level 1 nothing comes from lso on.
	end, lso int64
	buffers  *buffers
	free     chan *[]byte
	full     chan answered
}

// answered is one fetch's answer, or why there will be no other. What it holds is valid until its buffer is free again.
type answered struct {
	fetched
	buffer *[]byte
	err    error
}

func newAhead(conn *brokers.Conn, leader ask.Leader, p *observation.Partition, from int64, shared *buffers) *ahead {
	a := &ahead{
		conn: conn, leader: leader, question: question{tp: tpOf(p), offset: from}, end: p.HW, lso: p.LSO,
		buffers: shared, free: make(chan *[]byte, buffered), full: make(chan answered, buffered),
	}
	for range buffered {
		a.free <- shared.get()
	}
	return a
}

// run fetches until the end, an error, or the context's end, and closes full.
func (a *ahead) run(ctx context.Context) {
	defer close(a.full)
	resp := kmsg.NewPtrFetchResponse()
	resp.SetVersion(rawFetchVersion)
	for a.question.offset < a.end {
		var got answered
		select {
		case got.buffer = <-a.free:
		case <-ctx.Done():
			return
		}
		got.fetched, got.err = a.fetch(got.buffer, resp)
		if got.err == nil {
			a.question.offset, got.err = behind(got.batches, a.question.offset)
		}
		a.full <- got // there are no more answers than room
		if got.err != nil {
			return
		}
	}
}

// fetch asks once.
func (a *ahead) fetch(buffer *[]byte, resp *kmsg.FetchResponse) (got fetched, err error) {
	a.question.isolation = 0
	if a.question.offset < a.lso {
		a.question.isolation = 1
	}
	req := a.question.request(a.leader)
	req.SetVersion(rawFetchVersion)
	if err = a.conn.Send(req); err == nil {
		*buffer, err = a.conn.Receive(*buffer, resp)
	}
	if err != nil {
		return got, notFetched(a.question.tp, a.leader.Node, err)
	}
	return fetchedOf(resp, a.question.tp, a.leader.Node)
}

// recycle gives back the buffers that are not walked, once fetching has ended.
func (a *ahead) recycle() {
	for got := range a.full {
		a.buffers.put(got.buffer)
	}
	for len(a.free) > 0 {
		a.buffers.put(<-a.free)
	}
}

// errNothing is an answer without a whole batch.
var errNothing = errors.New("the broker sends nothing")

// behind returns the offset after the last whole batch in raw. It reads headers only.
func behind(raw []byte, next int64) (int64, error) {
	var b kmsg.RecordBatch
	before := next
	for len(raw) >= batchHeader {
		size, err := header(raw, &b)
		if err != nil {
			return next, err
		}
		if size > int64(len(raw)) {
			break
		}
		next = max(next, lastOffset(&b)+1)
		raw = raw[size:]
	}
	if next == before {
		return next, errNothing
	}
	return next, nil
}
