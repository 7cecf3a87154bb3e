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
}

func (c *codec) uint(v *uint64) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, *v)
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
	n := uint64(len(*v))
	c.uint(&n)
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	if n > uint64(len(c.buf)) {
		c.bad, c.buf = true, nil
		return
	}
	*v = append([]byte(nil), c.buf[:n]...)
	c.buf = c.buf[n:]
}

func (c *codec) string(v *string) {
	b := []byte(*v)
	c.bytes(&b)
	*v = string(b)
}

// list moves a slice; each element needs a byte at least, so a length beyond what is left is refused before allocating.
func list[T any](c *codec, v *[]T, each func(*T)) {
	n := uint64(len(*v))
	c.uint(&n)
	if c.reading {
		if n > uint64(len(c.buf)) {
			c.bad, c.buf = true, nil
			return
		}
		*v = make([]T, n)
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

func (c *codec) outcome(v *Outcome) {
	unsigned(c, v)
	c.bad = c.bad || *v > OutcomeFailed
}

// marshal appends the entry's kind and fields to dst.
func marshal(dst []byte, e Entry) []byte {
	c := codec{buf: append(dst, byte(e.kind()))}
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
	e.fields(&c)
	if c.bad || len(c.buf) != 0 {
		return nil, fmt.Errorf("%w of kind %d", errMalformed, b[0])
	}
	return e, nil
}
