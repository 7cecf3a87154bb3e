package jepsen

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/chaeos/chaeos/harness/history"
)

// writer writes operations as EDN, one a line as Jepsen's own history.edn has them, and numbers them. Write errors stay in
// the buffer until flush.
type writer struct {
	out  *bufio.Writer
	base history.Time
	// last is the newest time written: times never go back.
	last  history.Time
	index int64
}

func newWriter(out io.Writer, base history.Time) *writer {
	return &writer{out: bufio.NewWriterSize(out, 64<<10), base: base, last: base}
}

func (w *writer) text(s string) { _, _ = w.out.WriteString(s) }

func (w *writer) number(n int64) {
	_, _ = w.out.Write(strconv.AppendInt(w.out.AvailableBuffer(), n, 10))
}

func (w *writer) value(v value) { _, _ = w.out.Write(v.append(w.out.AvailableBuffer())) }

// quote writes a string. Go's quoting knows escapes that EDN doesn't: what is not plain becomes a question mark.
func (w *writer) quote(s string) {
	plain := []rune(s)
	for i, r := range plain {
		if r < ' ' || r == '"' || r == '\\' || r == 0x7f || r == 0xfffd {
			plain[i] = '?'
		}
	}
	w.text(`"` + string(plain) + `"`)
}

// write writes one event.
func (w *writer) write(e event) error {
	w.last = max(w.last, e.at)
	kind := "invoke"
	if e.completes {
		kind = e.op.outcome
	}
	w.text("{:index ")
	w.number(w.index)
	w.text(", :type :" + kind + ", :process ")
	w.number(int64(e.op.process))
	w.text(", :time ")
	w.number(int64(w.last - w.base))
	w.text(", :f :" + e.op.f + ", :by ")
	w.quote(e.op.by)
	w.index++
	err := w.body(e)
	w.text("}\n")
	return err
}

func (w *writer) body(e event) error {
	o := e.op
	switch {
	case o.f == fCrash:
	case o.f == fDebug:
		w.debug(o, e.completes)
	case o.f == fAssign || o.f == fSubscribe:
		w.text(", :value ")
		w.keys(o.keys)
		if o.fromStart {
			w.text(", :seek-to-beginning? true")
		}
	case e.completes:
		return w.completion(o)
	default:
		w.invocation(o)
	}
	return nil
}

// between separates the elements of a list, before the i-th.
func (w *writer) between(i int) {
	if i > 0 {
		w.text(" ")
	}
}

func (w *writer) offset(n int64) {
	if n < 0 {
		w.text("[nil ")
		return
	}
	w.text("[")
	w.number(n)
	w.text(" ")
}

func (w *writer) keys(keys []int32) {
	w.text("[")
	for i, k := range keys {
		w.between(i)
		w.number(int64(k))
	}
	w.text("]")
}

func (w *writer) counts(name string, counts map[int32]uint64) {
	if len(counts) == 0 {
		return
	}
	w.text(", " + name + " {")
	for i, k := range slices.Sorted(maps.Keys(counts)) {
		w.between(i)
		w.number(int64(k))
		w.text(" ")
		_, _ = w.out.Write(strconv.AppendUint(w.out.AvailableBuffer(), counts[k], 10))
	}
	w.text("}")
}

func (w *writer) debug(o *op, completes bool) {
	w.text(", :value ")
	if !completes {
		w.keys(o.keys)
		return
	}
	w.text("{")
	for i, k := range o.keys {
		w.between(i)
		w.number(int64(k))
		w.text(" ")
		w.quote(o.names(k))
	}
	w.text("}")
}
