package history

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errMalformed = errors.New("malformed entry")

// codec walks an entry's fields in one order for both directions, so that the two can't disagree.
type codec struct {
	buf     []byte
	reading bool
	bad     bool
	// known, if it is not nil, holds strings that were read before: histories name the same topics over and over.
	known map[string]string
}

// maxKnown bounds the strings that one reader remembers.
const maxKnown = 1000

func (c *codec) uint(v *uint64) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, *v)
		return
	}
	if len(c.buf) > 0 && c.buf[0] < 0x80 { // most numbers are small
		*v, c.buf = uint64(c.buf[0]), c.buf[1:]
		return
	}
	x, n := binary.Uvarint(c.buf)
	if n <= 0 {
		c.bad, c.buf = true, nil
		return
	}
	*v, c.buf = x, c.buf[n:]
}

// integer moves a signed number (zig-zag) and refuses one that doesn't fit its field.
func integer[T ~int8 | ~int16 | ~int32 | ~int64](c *codec, v *T) {
	z := uint64(int64(*v)<<1) ^ uint64(int64(*v)>>63)
	c.uint(&z)
	x := int64(z>>1) ^ -int64(z&1)
	*v = T(x)
	c.bad = c.bad || int64(*v) != x
}

func unsigned[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *codec, v *T) {
	z := uint64(*v)
	c.uint(&z)
	*v = T(z)
	c.bad = c.bad || uint64(*v) != z
}

func (c *codec) bool(v *bool) {
	var z uint64
	if *v {
		z = 1
	}
	c.uint(&z)
	c.bad = c.bad || z > 1
	*v = z == 1
}

func (c *codec) bytes(v *[]byte) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*v)))
		c.buf = append(c.buf, *v...)
		return
	}
	*v = append((*v)[:0], c.taken()...)
}

func (c *codec) string(v *string) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*v)))
		c.buf = append(c.buf, *v...)
		return
	}
	b := c.taken()
	if string(b) == *v {
		return // an entry that is used again mostly has the string that the last of its kind had
	}
	known, ok := c.known[string(b)]
	if !ok {
		known = string(b)
		if c.known != nil && len(c.known) < maxKnown {
			c.known[known] = known
		}
	}
	*v = known
}

// taken reads a length and returns that many bytes of the buffer.
func (c *codec) taken() (b []byte) {
	var n uint64
	c.uint(&n)
	if n > uint64(len(c.buf)) {
		c.bad, c.buf = true, nil
		return nil
	}
	b, c.buf = c.buf[:n], c.buf[n:]
	return b
}

// list moves a slice. Each element needs a byte at least, so a length beyond what is left is refused before allocating.
// What the slice held before is overwritten: all fields of every element are read.
func list[T any](c *codec, v *[]T, each func(*T)) {
	n := uint64(len(*v))
	c.uint(&n)
	if c.reading {
		if n > uint64(len(c.buf)) {
			c.bad, c.buf = true, nil
			return
		}
		if uint64(cap(*v)) < n {
			*v = make([]T, n)
		}
		*v = (*v)[:n]
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

func (c *codec) outcome(v *Outcome) {
	unsigned(c, v)
	c.bad = c.bad || *v > OutcomeFailed
}

// marshal appends the entry's kind, time and fields to dst.
func marshal(dst []byte, e Entry) []byte {
	c := codec{buf: append(dst, byte(e.kind()))}
	integer(&c, &e.stamp().At)
	e.fields(&c)
	return c.buf
}

// unmarshal reads one whole entry and refuses left-over bytes.
func unmarshal(b []byte) (Entry, error) {
	if len(b) == 0 {
		return nil, errMalformed
	}
	e, err := newEntry(kind(b[0]))
	if err != nil {
		return nil, err
	}
	c := codec{buf: b[1:], reading: true}
	return e, c.finish(e, b[0])
}

func (c *codec) finish(e Entry, k byte) error {
	integer(c, &e.stamp().At)
	e.fields(c)
	if c.bad || len(c.buf) != 0 {
		return fmt.Errorf("%w of kind %d", errMalformed, k)
	}
	return nil
}
