package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/frame"
)

// format is how history files look.
var format = frame.Format{Magic: "chaeosH", Length: frame.Varint, Most: 64 << 20, Buffer: 128 << 10}

// Tail describes how a history file ended.
type Tail struct {
	// Entries is the number of whole entries, End and Process included.
	Entries int
	// LostBytes follow the last whole entry and could not be read: a truncated or damaged frame.
	LostBytes int64
	// Ended reports whether the writer closed the file in order.
	Ended bool
	// CutShort reports whether the last frame is cut short, as that of a killed writer can be: what it announces did not
	// happen.
	CutShort bool
	// Reason is why reading stopped early, if LostBytes is not 0.
	Reason string
}

// Whole reports whether the writer closed the file and every byte of it was read.
func (t Tail) Whole() bool { return t.Ended && t.LostBytes == 0 }

// Reader streams one history file, in memory bounded by its largest frame. It is for one goroutine. Of a file that is
// still being written it reads what was there when it was opened.
type Reader struct {
	frames *frame.Reader
	file   io.Closer
	size   int64
	codec  codec
	reused [maxKind + 1]Entry
	// fresh makes a new entry each time instead of using the last of its kind again.
	fresh bool
	done  bool
	tail  Tail
}

// Open opens a history file. It fails if the file is missing, isn't a history, or is of another version. A file that was
// cut before its header was whole has no entries, and its tail says so.
func Open(path string) (*Reader, error) {
	f, size, err := files.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	r, err := newReader(f, size, f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("history %s: %w", path, err), f.Close())
	}
	return r, nil
}

func newReader(in io.Reader, size int64, file io.Closer) (*Reader, error) {
	r := &Reader{frames: format.NewReader(in, size), size: size, file: file, codec: codec{reading: true, known: map[string]string{}}}
	version, err := r.frames.Header()
	switch {
	case errors.Is(err, frame.ErrCut):
		// Killed, or out of disk, before the header was whole: nothing of it can be read, and nothing claims otherwise.
		r.lose(errors.New("the header is cut short"))
		return r, nil
	case errors.Is(err, frame.ErrMagic):
		return nil, errors.New("not a history file")
	case err != nil:
		return nil, err
	case version != Version:
		return nil, fmt.Errorf("version %d; this chaeos reads version %d", version, Version)
	}
	return r, nil
}

// Size is the file's size when it was opened, in bytes.
func (r *Reader) Size() int64 { return r.size }

// Tail describes how the file ended, once Next returned nil.
func (r *Reader) Tail() Tail { return r.tail }

// Close closes the file.
func (r *Reader) Close() error {
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// Next returns the next whole entry, or nil at the end of what can be read. The next entry of the same kind uses the entry
// and its slices again: copy what is to last.
func (r *Reader) Next() Entry {
	if r.done {
		return nil
	}
	body, err := r.frames.Next()
	if errors.Is(err, io.EOF) {
		r.done = true
		return nil
	}
	var e Entry
	if err == nil {
		e, err = r.decode(body)
	}
	if err != nil {
		r.lose(err)
		return nil
	}
	r.tail.Entries++
	_, r.tail.Ended = e.(*End)
	return e
}

func (r *Reader) lose(err error) {
	r.done = true
	r.tail.LostBytes, r.tail.Reason, r.tail.CutShort = r.frames.Left(), err.Error(), errors.Is(err, frame.ErrCut)
}

// decode reads one whole entry and refuses left-over bytes.
func (r *Reader) decode(b []byte) (Entry, error) {
	if r.fresh {
		return unmarshal(b)
	}
	if len(b) == 0 {
		return nil, errMalformed
	}
	k := b[0]
	if k > maxKind {
		return unmarshal(b)
	}
	e := r.reused[k]
	if e == nil {
		var err error
		if e, err = newEntry(kind(k)); err != nil {
			return nil, err
		}
		r.reused[k] = e
	}
	r.codec.buf, r.codec.bad = b[1:], false
	return e, r.codec.finish(e, k)
}

// ReadFile calls fn with every whole entry of a history file, in order; fn may keep them. A truncated or damaged rest is
// no error: the tail reports it. It fails if the file is missing, isn't a history, or is of another version, and with fn's
// error.
func ReadFile(path string, fn func(Entry) error) (Tail, error) { return readFile(path, true, fn) }

// Scan is ReadFile for long files: an entry and its slices are used again once fn returned, so that memory doesn't grow.
func Scan(path string, fn func(Entry) error) (Tail, error) { return readFile(path, false, fn) }

func readFile(path string, fresh bool, fn func(Entry) error) (Tail, error) {
	r, err := Open(path)
	if err != nil {
		return Tail{}, err
	}
	r.fresh = fresh
	if err := r.each(fn); err != nil {
		return r.Tail(), errors.Join(fmt.Errorf("history %s: %w", path, err), r.Close())
	}
	return r.Tail(), r.Close()
}

func (r *Reader) each(fn func(Entry) error) error {
	for e := r.Next(); e != nil; e = r.Next() {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// read reads a whole history in memory.
func read(data []byte, fn func(Entry) error) (Tail, error) {
	r, err := newReader(bytes.NewReader(data), int64(len(data)), io.NopCloser(nil))
	if err != nil {
		return Tail{}, err
	}
	r.fresh = true
	err = r.each(fn)
	return r.tail, err
}
