package logs

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// identities maps a partition's offsets to the identities they hold, as runs: an orderly source needs one run, however
// many records it sent.
type identities struct{ runs []identitySpan }

type identitySpan struct {
	offset        int64
	count         int64
	source        uint16
	first, stride uint64
}

func (r *identitySpan) at(offset int64) history.Identity {
	return history.Identity{Source: r.source, Sequence: r.first + uint64(offset-r.offset)*r.stride}
}

// add appends the identity at an offset; offsets go up.
func (m *identities) add(offset int64, id history.Identity) {
	if n := len(m.runs); n > 0 {
		last := &m.runs[n-1]
		next := offset == last.offset+last.count && id.Source == last.source
		if next && last.count == 1 {
			last.stride = id.Sequence - last.first
		}
		if next && last.at(offset) == id {
			last.count++
			return
		}
	}
	m.runs = append(m.runs, identitySpan{offset: offset, count: 1, source: id.Source, first: id.Sequence})
}

// addRun appends count identities from an offset on, sequences a step apart.
func (m *identities) addRun(offset, count int64, id history.Identity, step uint64) {
	if n := len(m.runs); n > 0 && count > 1 {
		last := &m.runs[n-1]
		if offset == last.offset+last.count && last.count > 1 && last.stride == step && last.at(offset) == id {
			last.count += count
			return
		}
	}
	for i := range min(count, 2) {
		m.add(offset+i, history.Identity{Source: id.Source, Sequence: id.Sequence + uint64(i)*step})
	}
	if last := &m.runs[len(m.runs)-1]; count > 2 {
		if last.count == 1 { // the first of the two went with what was before, the second began a span
			last.stride = step
		}
		last.count += count - 2
	}
}

// Cursor looks up identities; neighbouring offsets are cheap.
type Cursor struct {
	IDs *identities
	at  int
}

// Identity is what the log holds at an offset, ok if there is anything.
func (c *Cursor) Identity(offset int64) (id history.Identity, ok bool) {
	runs := c.IDs.runs
	if c.at < len(runs) {
		if r := &runs[c.at]; offset >= r.offset && offset < r.offset+r.count {
			return r.at(offset), true
		}
	}
	i, exact := slices.BinarySearchFunc(runs, offset, func(r identitySpan, o int64) int { return cmp.Compare(r.offset, o) })
	if !exact {
		i--
	}
	if i < 0 {
		return id, false
	}
	c.at = i
	r := &runs[i]
	return r.at(offset), offset < r.offset+r.count
}

// holds reports whether the log holds count identities of one source from an offset on, sequences a step apart. It may
// miss them if they lie in several spans: then they are looked up one by one.
func (c *Cursor) holds(offset, count int64, first history.Identity, step uint64) bool {
	if id, ok := c.Identity(offset); !ok || id != first {
		return false
	}
	r := &c.IDs.runs[c.at]
	return offset+count <= r.offset+r.count && (r.stride == step || count == 1)
}
