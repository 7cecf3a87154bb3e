package kafkatoxic

import (
	"slices"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

const (
	// linger is how long the broker's side stays open after a held request was delivered whose client is gone: otherwise the
	// broker's answer would never be seen.
	linger = time.Second
	// lastWords bounds the writing of what is left of a stream whose source has ended: there may be no reader.
	lastWords = 5 * time.Second
	// bufferedChunks is the length of the channel before each toxic.
	bufferedChunks = 4
)

// flow is one direction of one connection on its way through a toxic. Toxiproxy stops and starts the pipe whenever a toxic
// changes, so everything that must outlive that is here, and every wait ends when it is interrupted.
type flow struct {
	judge  judge
	frames cutter
	// gather is as much as has come of a frame that is looked into; nil if there is none.
	gather []byte
	raw    bool

	steps   []step
	chunk   *stream.StreamChunk // the last one, until it is passed on
	rest    []byte              // the part of it that was not looked at yet
	arrived time.Time
	stamp   time.Time // the time of chunks that are passed on: later than arrived if they have waited
	ended   bool      // the source has closed
	over    bool      // and everything is passed on
	// delivered is when the last frame that had waited was passed on; late is its rule until the flow waits for more bytes.
	delivered time.Time
	late      *armed
}

// step is one thing to do before the stream goes on: the first that is set.
type step struct {
	hold  *hold
	data  []byte
	deaf  <-chan struct{} // swallow everything until it closes, then close
	close bool
	at    time.Time // not before
}

// hold is a wait of one frame: for a gate, a time, or whichever comes first.
type hold struct {
	rule  *armed
	gate  <-chan struct{}
	until time.Time // zero: only for the gate
	since time.Time
}

func (f *flow) then(s step) { f.steps = append(f.steps, s) }

// pass lets bytes through as they are.
func (f *flow) pass(data []byte) {
	if len(data) > 0 {
		f.then(step{data: data})
	}
}

// run does what a toxic's Pipe must do. It returns false if the stub was interrupted, true if the stream has ended.
func (f *flow) run(stub *toxics.ToxicStub) (over bool) {
	for {
		goOn := true
		switch {
		case len(f.steps) > 0:
			goOn = f.step(stub)
		case len(f.rest) > 0:
			f.parse()
		case f.ended:
			f.flush()
			f.then(step{close: true, at: f.delivered.Add(linger)})
		default:
			goOn = f.read(stub)
		}
		if !goOn {
			return f.over
		}
	}
}

// read takes the next chunk.
func (f *flow) read(stub *toxics.ToxicStub) bool {
	select {
	case c := <-stub.Input:
		f.take(c)
		return true
	default:
	}
	f.late = nil // the client is still there
	select {
	case <-stub.Interrupt:
		return false
	case c := <-stub.Input:
		f.take(c)
		return true
	}
}

func (f *flow) take(c *stream.StreamChunk) {
	if c != nil {
		f.chunk, f.rest, f.arrived, f.stamp = c, c.Data, c.Timestamp, c.Timestamp
		return
	}
	f.ended = true
	if f.late != nil {
		f.late.count(func(c *Counters) { c.Late++ })
	}
}

// step does the next step. It returns false if it was interrupted or was the last step.
func (f *flow) step(stub *toxics.ToxicStub) bool {
	s := f.steps[0]
	switch {
	case s.hold != nil:
		if !s.hold.await(stub) {
			return false
		}
		s.hold.rule.end(s.hold)
		f.delivered, f.stamp, f.late = time.Now(), time.Now(), s.hold.rule
	case s.data != nil:
		if !f.write(stub, s.data) {
			return false
		}
	case s.deaf != nil:
		if !f.swallow(stub, s.deaf) {
			return false
		}
	case s.close:
		if !pause(stub, s.at) {
			return false
		}
		f.over = true
		f.judge.gone()
		stub.Close()
		drain(stub)
		return false
	}
	f.steps = slices.Delete(f.steps, 0, 1) // keeps the capacity for the next ones
	return true
}

// await returns when the gate has opened or the time has come, or false if it was interrupted before.
func (h *hold) await(stub *toxics.ToxicStub) bool {
	select {
	case <-h.gate:
		return true
	default:
	}
	var due <-chan time.Time
	if !h.until.IsZero() {
		timer := time.NewTimer(time.Until(h.until))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-h.gate:
		return true
	case <-due:
		return true
	case <-stub.Interrupt:
		return false
	}
}

// wrap makes a chunk of bytes, or takes the chunk that they came in if they are all of it.
func (f *flow) wrap(data []byte) *stream.StreamChunk {
	c := f.chunk
	if c == nil || len(c.Data) != len(data) || &c.Data[0] != &data[0] || !c.Timestamp.Equal(f.stamp) {
		return &stream.StreamChunk{Data: data, Timestamp: f.stamp}
	}
	return c
}

// write passes bytes on. When the source has ended it gives up after a while.
func (f *flow) write(stub *toxics.ToxicStub, data []byte) bool {
	var tooLong <-chan time.Time
	if f.ended {
		timer := time.NewTimer(lastWords)
		defer timer.Stop()
		tooLong = timer.C
	}
	select {
	case stub.Output <- f.wrap(data):
		f.chunk = nil // its new owner may change it
		return true
	case <-tooLong:
		return true
	case <-stub.Interrupt:
		return false
	}
}

// swallow reads and throws away until the gate opens or the source ends, and then closes: a stream that lacks bytes can't go on.
func (f *flow) swallow(stub *toxics.ToxicStub, gate <-chan struct{}) bool {
	f.rest = nil
	for !f.ended {
		select {
		case <-stub.Interrupt:
			return false
		case <-gate:
			f.then(step{close: true})
			return true
		case c := <-stub.Input:
			f.ended = c == nil
		}
	}
	return true
}

// pause waits for a time, and returns false if it was interrupted before.
func pause(stub *toxics.ToxicStub, until time.Time) bool {
	if !time.Now().Before(until) {
		return true
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stub.Interrupt:
		return false
	}
}

// drain reads a closed flow's source to its end: otherwise what feeds it would wait forever.
func drain(stub *toxics.ToxicStub) {
	for c := range stub.Input {
		_ = c
	}
}

// handOver writes everything that a flow keeps, without waiting for rules, because its toxic is being removed.
func (f *flow) handOver(stub *toxics.ToxicStub) {
	f.flush()
	f.pass(f.rest)
	for _, s := range f.steps {
		switch {
		case s.hold != nil:
			s.hold.rule.end(s.hold)
		case s.data != nil:
			if stub.WriteOutput(&stream.StreamChunk{Data: s.data, Timestamp: time.Now()}, lastWords) != nil {
				stub.Close()
			}
		case s.deaf != nil, s.close:
			stub.Close()
		}
		if stub.Closed() {
			break
		}
	}
	f.steps, f.rest = nil, nil
}
