package kafkatoxic

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2/toxics"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/frames"
)

// pipesWithin bounds the wait for pipes to begin, which takes some microseconds.
const pipesWithin = 200 * time.Millisecond

// maxBody bounds the requests that are looked into: for that, a request is kept whole.
const maxBody = 16 << 20

// RequestToxic is the toxic on the requests' direction, registered as "kafka_req". All rules live in it.
type RequestToxic struct {
	board
	// idle counts connections whose pipe doesn't run: it has not begun, or was interrupted.
	idle                                                  atomic.Int64
	connections, unparsable, requests, tooLarge, unmarked atomic.Int64
}

var (
	_ toxics.Toxic         = (*RequestToxic)(nil)
	_ toxics.StatefulToxic = (*RequestToxic)(nil)
	_ toxics.BufferedToxic = (*RequestToxic)(nil)
	_ toxics.CleanupToxic  = (*RequestToxic)(nil)
)

// NewState makes what is kept of one connection.
func (t *RequestToxic) NewState() any {
	t.connections.Add(1)
	t.idle.Add(1)
	r := &requests{toxic: t, tickets: &t.exchange().tickets}
	r.flow = flow{judge: r, frames: &r.cut}
	return r
}

// GetBufferSize is the number of chunks that may wait in front of the toxic.
func (t *RequestToxic) GetBufferSize() int { return bufferedChunks }

// Pipe passes requests on, and does to those that match what the rules say.
func (t *RequestToxic) Pipe(stub *toxics.ToxicStub) {
	t.idle.Add(-1)
	if !stub.State.(*requests).run(stub) {
		t.idle.Add(1)
	}
}

// Cleanup writes what was kept.
func (t *RequestToxic) Cleanup(stub *toxics.ToxicStub) {
	t.idle.Add(-1)
	stub.State.(*requests).handOver(stub)
}

// UnmarshalJSON does a command. At each update Toxiproxy writes a toxic's toxicity, which it reads without a lock when a pipe
// begins: an update waits until all pipes run.
func (t *RequestToxic) UnmarshalJSON(data []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), pipesWithin)
	defer cancel()
	_ = wait.Poll(ctx, time.Millisecond, func() (bool, error) { return t.idle.Load() <= 0, nil })
	return t.do(data)
}

// requests is the state of one connection's requests.
type requests struct {
	flow
	toxic   *RequestToxic
	tickets *tickets
	cut     frames.Requests
	// issued are the tickets of this connection; some may be redeemed.
	issued []int32
}

var _ judge = (*requests)(nil)

func (r *requests) unparsable() { r.toxic.unparsable.Add(1) }

func (r *requests) looks() look {
	r.toxic.requests.Add(1)
	rules := r.toxic.rules()
	if len(rules) == 0 {
		return ignore
	}
	head, most := r.cut.Request(), ignore
	for _, a := range rules {
		if !a.picks(head) || a.budget.spent() {
			continue
		}
		most = max(most, atHead)
		if a.needsBody(head) {
			most = atBody
		}
	}
	if most == atBody && head.Size > maxBody {
		r.toxic.tooLarge.Add(1)
		return ignore
	}
	return most
}

// decide does to a request what the first rule that matches it and is due wants.
func (r *requests) decide(frame []byte) {
	head, whole := r.cut.Request(), r.cut.Left() == 0
	var facts frames.Facts
	if whole {
		var err error
		facts, err = frames.ReadFacts(head, frame[len(r.cut.Head()):])
		whole = err == nil
	}
	for _, a := range r.toxic.rules() {
		if !a.picks(head) || a.needsBody(head) && !(whole && a.matches(facts)) {
			continue
		}
		if a.budget.take() {
			r.act(a, head, frame)
			return
		}
	}
	r.pass(frame)
}

func (r *requests) act(a *armed, head frames.Request, frame []byte) {
	if a.answerable() {
		id, ok := r.tickets.issue(head, a)
		if ok {
			frames.SetCorrelation(frame, id)
			r.issued = append(slices.DeleteFunc(r.issued, func(id int32) bool { return !r.tickets.isOpen(id) }), id)
		} else if r.toxic.unmarked.Add(1); a.On == OnResponse {
			r.pass(frame)
			return
		}
	}
	a.count(func(c *Counters) { c.Matched++ })
	if a.On == OnResponse {
		r.pass(frame)
		return
	}
	r.enact(a, frame)
}

// gone redeems the tickets whose responses can't come any more.
func (r *requests) gone() {
	for _, id := range r.issued {
		r.tickets.redeem(id)
	}
	r.issued = nil
}
