package frames

// Part is what the bytes are that a step took.
type Part int

const (
	// More bytes are needed to complete a head: what was taken is kept.
	More Part = iota
	// Begin is the end of a head: it is complete.
	Begin
	// Body bytes belong to the frame that began last.
	Body
	// Raw bytes belong to a stream that can't be read: it isn't Kafka's, or it is encrypted.
	Raw
)

// cutter is the state machine that requests and responses have in common.
type cutter struct {
	head     []byte
	left     int // bytes of the body still to come
	complete bool
	raw      bool
}

// Head returns the bytes of the head that began last, also those from earlier chunks: all that there are if it is not complete,
// and if the stream has just turned out to be raw, those taken before. It is valid until the next step.
func (c *cutter) Head() []byte { return c.head }

// Kept is the number of bytes of an incomplete head.
func (c *cutter) Kept() int {
	if c.complete || c.raw {
		return 0
	}
	return len(c.head)
}

// Left is how many bytes of the body are still to come.
func (c *cutter) Left() int { return c.left }

// plan tells from the first bytes of a head how many bytes the head needs as far as they show, how long its frame is once the
// head is complete, and whether it can be a head at all.
type plan func(head []byte) (need, frame int, plausible bool)

func (c *cutter) step(data []byte, plan plan) (int, Part) {
	switch {
	case c.raw:
		c.head = c.head[:0]
		return len(data), Raw
	case c.left > 0:
		n := min(len(data), c.left)
		c.left -= n
		return n, Body
	case c.complete:
		c.head, c.complete = c.head[:0], false
	}
	taken := 0
	for {
		need, frame, plausible := plan(c.head)
		if !plausible {
			c.raw = true
			return taken, Raw
		}
		if need == len(c.head) {
			c.complete, c.left = true, frame-need
			return taken, Begin
		}
		if taken == len(data) {
			return taken, More
		}
		n := min(need-len(c.head), len(data)-taken)
		c.head = append(c.head, data[taken:taken+n]...)
		taken += n
	}
}
