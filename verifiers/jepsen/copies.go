package jepsen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// sortedAtOnce is how many copies are sorted in memory.
const sortedAtOnce = 128 << 10

// copies sorts all outputs of a row by who made them, on disk: logs hold them in the order of arrival, and a history is
// in the order of work. Memory is bounded by one sorted part.
type copies struct {
	file  *os.File
	parts []section
	some  []copied
	size  int64
	// of says where each incarnation's begin in the sorted file.
	of map[incarnation]section
}

// section is a part of the file, in copies.
type section struct{ from, count int64 }

func newCopies(dir string) (*copies, error) {
	f, err := os.CreateTemp(dir, "copies-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("jepsen: %w", err)
	}
	return &copies{file: f, of: map[incarnation]section{}}, nil
}

func (c *copies) close() error {
	return errors.Join(c.file.Close(), os.Remove(c.file.Name()))
}

func (c *copies) add(x copied) error {
	c.some = append(c.some, x)
	if len(c.some) < sortedAtOnce {
		return nil
	}
	return c.spill()
}

// spill writes what is in memory as a sorted part.
func (c *copies) spill() error {
	slices.SortFunc(c.some, order)
	out := bufio.NewWriter(io.NewOffsetWriter(c.file, c.size*copySize))
	for _, x := range c.some {
		_, _ = out.Write(x.append(out.AvailableBuffer()))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("jepsen: %w", err)
	}
	c.parts = append(c.parts, section{c.size, int64(len(c.some))})
	c.size += int64(len(c.some))
	c.some = c.some[:0]
	return nil
}

// sort merges the parts into one, behind them.
func (c *copies) sort() error {
	if err := c.spill(); err != nil {
		return err
	}
	c.some = nil
	heads := make([]*cursor, 0, len(c.parts))
	for _, p := range c.parts {
		heads = append(heads, c.read(p, 4<<10))
	}
	out := bufio.NewWriter(io.NewOffsetWriter(c.file, c.size*copySize))
	n := c.size
	for h := least(heads); h != nil; h = least(heads) {
		x := h.pop()
		at := c.of[x.by]
		if at.count == 0 {
			at.from = n
		}
		at.count++
		n++
		c.of[x.by] = at
		_, _ = out.Write(x.append(out.AvailableBuffer()))
	}
	for _, h := range heads {
		if h.err != nil {
			return h.err
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("jepsen: %w", err)
	}
	return nil
}

// least is the cursor whose head comes first, nil after the last.
func least(heads []*cursor) (first *cursor) {
	for _, h := range heads {
		if h.ready() && (first == nil || order(h.head, first.head) < 0) {
			first = h
		}
	}
	return first
}

// by reads the copies that an incarnation made.
func (c *copies) by(who incarnation) *cursor { return c.read(c.of[who], 16<<10) }

func (c *copies) read(s section, buffer int) *cursor {
	return &cursor{in: bufio.NewReaderSize(io.NewSectionReader(c.file, s.from*copySize, s.count*copySize), buffer)}
}

// cursor reads sorted copies one after the other.
type cursor struct {
	in    *bufio.Reader
	raw   [copySize]byte
	head  copied
	full  bool
	ended bool
	err   error
}

// ready reports whether there is a head.
func (c *cursor) ready() bool {
	if c.full || c.ended {
		return c.full
	}
	if _, err := io.ReadFull(c.in, c.raw[:]); err != nil {
		c.ended = true
		if !errors.Is(err, io.EOF) {
			c.err = fmt.Errorf("jepsen: %w", err)
		}
		return false
	}
	c.head, c.full = readCopy(c.raw[:]), true
	return true
}

func (c *cursor) pop() copied {
	c.full = false
	return c.head
}

// take returns the copies from here on for which the condition holds, and only the first of those that one processing has
// in one output partition: a second one is the same message again.
func (c *cursor) take(while func(copied) bool) []copied {
	var all []copied
	for c.ready() && while(c.head) {
		x := c.pop()
		if n := len(all); n > 0 && all[n-1].processing == x.processing && all[n-1].number == x.number {
			continue
		}
		all = append(all, x)
	}
	return all
}
