package kafkatoxic

import (
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2/toxics"

	"github.com/chaeos/chaeos/toxics/frames"
)

// maxRead bounds the responses that are kept whole to look for error codes.
const maxRead = 1 << 20

var errTooLarge = errors.New("too large to be looked into")

// ResponseToxic is the toxic on the responses' direction, registered as "kafka_resp". It has no settings: the tickets of marked
// requests have what to do.
type ResponseToxic struct {
	sharing
	connections, unparsable atomic.Int64
}

var (
	_ toxics.Toxic         = (*ResponseToxic)(nil)
	_ toxics.StatefulToxic = (*ResponseToxic)(nil)
	_ toxics.BufferedToxic = (*ResponseToxic)(nil)
	_ toxics.CleanupToxic  = (*ResponseToxic)(nil)
)

// NewState makes what is kept of one connection.
func (t *ResponseToxic) NewState() any {
	t.connections.Add(1)
	r := &responses{toxic: t, tickets: &t.exchange().tickets}
	r.flow = flow{judge: r, frames: &r.cut}
	return r
}

// GetBufferSize is the number of chunks that may wait in front of the toxic.
func (t *ResponseToxic) GetBufferSize() int { return bufferedChunks }

// Pipe passes responses on, and does to those of marked requests what the rules say.
func (t *ResponseToxic) Pipe(stub *toxics.ToxicStub) { stub.State.(*responses).run(stub) }

// Cleanup writes what was kept.
func (t *ResponseToxic) Cleanup(stub *toxics.ToxicStub) { stub.State.(*responses).handOver(stub) }

// MarshalJSON gives the toxic's counters.
func (t *ResponseToxic) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int64{"connections": t.connections.Load(), "unparsable": t.unparsable.Load()})
}

// UnmarshalJSON takes no settings.
func (t *ResponseToxic) UnmarshalJSON(data []byte) error { return strict(data, &struct{}{}) }

// responses is the state of one connection's responses.
type responses struct {
	flow
	toxic   *ResponseToxic
	tickets *tickets
	cut     frames.Responses
	// ticket is of the request that the gathered response answers.
	ticket ticket
}

var _ judge = (*responses)(nil)

func (r *responses) unparsable() { r.toxic.unparsable.Add(1) }

func (r *responses) gone() {}

// looks redeems a marked response's ticket, and gives the response its own id back.
func (r *responses) looks() look {
	id := r.cut.Correlation()
	if !marked(id) {
		return ignore
	}
	t, ours := r.tickets.redeem(id)
	if !ours {
		return ignore
	}
	r.ticket = t
	frames.SetResponseCorrelation(r.cut.Head(), t.correlation)
	if r.cut.Size() > maxRead && !t.rule.After {
		return atHead
	}
	return atBody
}

// decide records the codes in a response, and does to it what the rule of its request says.
func (r *responses) decide(frame []byte) {
	t := r.ticket
	r.ticket = ticket{}
	if r.cut.Left() == 0 {
		t.answered(frame[len(r.cut.Head()):])
	} else {
		t.answered(nil)
	}
	if t.rule.On == OnResponse {
		r.enact(t.rule, frame)
		return
	}
	r.pass(frame)
}
