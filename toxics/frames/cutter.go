package frames

// Part says what the bytes are that a step took.
type Part int

const (
	// More says that further bytes are needed to complete a head: what was taken is kept.
	More Part = iota
	// Begin says that a head is complete.
	Begin
	// Body says that the bytes belong to the frame that began last.
	Body
	// Raw says that the bytes belong to a stream that can't be read: it isn't Kafka's, or it is encrypted.
	Raw
)

// cutter is the state machine that requests and responses have in common.
type cutter struct {
	head     []byte
	left     int // bytes of the body still to come
	complete bool
	raw      bool
}

// Head returns the bytes of the head that began last, those of earlier chunks among them; of one that is not complete,
// those there are; and of a stream that has just turned out to be raw, those taken before. It is good until the next step.
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

// plan says of the first bytes of a head how many it needs, as far as they tell, how long its frame is once they are all
// there, and whether they can be a head at all.
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
