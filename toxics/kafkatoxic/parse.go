package kafkatoxic

import (
	"slices"

	"github.com/chaeos/chaeos/toxics/frames"
)

// cutter finds the frames in one direction of a connection.
type cutter interface {
	Step(data []byte) (int, frames.Part)
	Head() []byte
	Kept() int
	Left() int
}

// look is how much of a frame must be seen before anything can be done with it.
type look int

const (
	ignore look = iota
	atHead
	atBody
)

// gatherAtOnce bounds the capacity that a head's size reserves for its frame: most frames fit, and a head may lie.
const gatherAtOnce = 1 << 20

// judge decides what happens to frames.
type judge interface {
	// looks is called when a frame's head is complete.
	looks() look
	// decide turns a frame into steps. It gets the head, and as much of the body as looks asked for.
	decide(frame []byte)
	// unparsable is called once if the stream has no frames.
	unparsable()
	// gone is called when the flow is over.
	gone()
}

// parse goes through a chunk. What is ignored passes in one piece, and is copied only if a head came in several chunks.
func (f *flow) parse() {
	data, from, at := f.rest, 0, 0
	for at < len(data) && !f.waits() {
		kept := f.frames.Kept()
		n, part := f.frames.Step(data[at:])
		before := data[from:at]
		at += n
		switch {
		case f.gather != nil:
			f.gather = append(f.gather, data[at-n:at]...)
			from = at
			if f.frames.Left() == 0 {
				f.decide()
			}
		case part == frames.More:
			f.pass(before)
			from = at
		case part == frames.Raw && f.passRaw(kept), part == frames.Begin && f.begin(before, kept):
			from = at
		}
	}
	f.pass(data[from:at])
	f.rest = data[at:]
}

// waits reports whether what is behind must not be looked at before the steps are done.
func (f *flow) waits() bool {
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.data == nil })
}

// passRaw notes that a stream has no frames, and passes what was kept of its beginning. It returns false if nothing was kept.
func (f *flow) passRaw(kept int) bool {
	if !f.raw {
		f.raw = true
		f.judge.unparsable()
	}
	if kept > 0 {
		f.pass(slices.Clone(f.frames.Head()))
	}
	return kept > 0
}

// begin has a head looked at, of which kept bytes came in earlier chunks; before are the bytes in front of it. It returns false
// if it did nothing, so that the head passes with the bytes around it.
func (f *flow) begin(before []byte, kept int) bool {
	look := f.judge.looks()
	if look == ignore && kept == 0 {
		return false
	}
	f.pass(before)
	if look == ignore {
		f.pass(slices.Clone(f.frames.Head()))
		return true
	}
	room := 0
	if look == atBody {
		room = min(f.frames.Left(), gatherAtOnce)
	}
	f.gather = append(make([]byte, 0, len(f.frames.Head())+room), f.frames.Head()...)
	if look == atHead || f.frames.Left() == 0 {
		f.decide()
	}
	return true
}

func (f *flow) decide() {
	frame := f.gather
	f.gather = nil
	f.judge.decide(frame)
}

// flush passes what there is of an unfinished frame.
func (f *flow) flush() {
	f.pass(f.gather)
	f.gather = nil
	if f.frames.Kept() > 0 {
		f.pass(slices.Clone(f.frames.Head()))
	}
}

// enact does to a frame what a rule says.
func (f *flow) enact(a *armed, frame []byte) {
	switch a.Op {
	case Hold, Delay:
		f.then(step{hold: a.begin(f.arrived)})
		f.pass(frame)
	case Drop:
		a.count(func(c *Counters) { c.Dropped++ })
		f.then(step{deaf: a.barrier()})
	case Cut:
		a.count(func(c *Counters) { c.Cut++ })
		if a.After {
			f.pass(frame)
		}
		f.then(step{close: true})
	}
}
