package history

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// Tail says how a history file ended.
type Tail struct {
	// Entries is the number of whole entries, End and Process included.
	Entries int
	// LostBytes is what follows the last whole entry and could not be read: a truncated or damaged frame.
	LostBytes int64
	// Ended says that the writer closed the file in order.
	Ended bool
	// Reason says why reading stopped early, where LostBytes is not 0.
	Reason string
}

// Whole says that the writer closed the file and every byte of it was read.
func (t Tail) Whole() bool { return t.Ended && t.LostBytes == 0 }

const (
	readBuffer = 128 << 10
	// maxFrame bounds a frame, in bytes: a damaged length must not make the reader allocate a whole file.
	maxFrame = 64 << 20
)

var (
	errCutShort = errors.New("the last frame is cut short")
	errFrameCRC = errors.New("a frame's CRC is wrong")
)

// Reader streams one history file, in memory bounded by its largest frame. It is for one goroutine. Of a file that is
// still being written it reads what was there when it was opened.
type Reader struct {
	in   *bufio.Reader
	file io.Closer
	size int64
	at   int64
	// frame holds a frame of large bytes that doesn't fit into the buffer (large 0: it does).
	frame  []byte
	large  int
	codec  codec
	reused [maxKind + 1]Entry
	fresh  bool
	done   bool
	tail   Tail
}

// Open opens a history file. It fails when the file is missing, isn't a history, or is of another version; a file that
// was cut before its header was whole has no entries, and its tail says so.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("history: %w", err), f.Close())
	}
	r, err := newReader(io.LimitReader(f, info.Size()), info.Size(), f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("history %s: %w", path, err), f.Close())
	}
	return r, nil
}

func newReader(in io.Reader, size int64, file io.Closer) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, readBuffer), size: size, file: file, codec: codec{reading: true, known: map[string]string{}}}
	header, err := r.in.Peek(len(fileMagic) + 1)
	switch {
	case errors.Is(err, io.EOF):
		// Killed, or out of disk, before the header was whole: nothing of it can be read, and nothing claims otherwise.
		r.lose(errors.New("the header is cut short"))
		return r, nil
	case err != nil:
		return nil, err
	case string(header[:len(fileMagic)]) != fileMagic:
		return nil, errors.New("not a history file")
	case header[len(fileMagic)] != Version:
		return nil, fmt.Errorf("version %d; this chaeos reads version %d", header[len(fileMagic)], Version)
	}
	r.skip(len(header))
	return r, nil
}

// Size is the file's size when it was opened, in bytes.
func (r *Reader) Size() int64 { return r.size }

// Tail says how the file ended, once Next returned nil.
func (r *Reader) Tail() Tail { return r.tail }

// Close closes the file.
func (r *Reader) Close() error {
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// Next returns the next whole entry, or nil at the end of what can be read. The entry and its slices are used again by
// the next entry of its kind: copy what is to last.
func (r *Reader) Next() Entry {
	if r.done || r.at == r.size {
		return nil
	}
	body, whole, err := r.nextFrame()
	var e Entry
	if err == nil {
		e, err = r.decode(body)
	}
	if err != nil {
		r.lose(err)
		return nil
	}
	r.skip(whole)
	r.tail.Entries++
	_, r.tail.Ended = e.(*End)
	return e
}

func (r *Reader) lose(err error) {
	r.done = true
	r.tail.LostBytes, r.tail.Reason = r.size-r.at, err.Error()
}

func (r *Reader) skip(n int) {
	if r.large == 0 {
		_, _ = r.in.Discard(n) // these bytes were peeked at
	}
	r.large = 0
	r.at += int64(n)
}

// nextFrame returns the next frame's body, valid until the next call, and the whole frame's size.
func (r *Reader) nextFrame() (body []byte, whole int, err error) {
	head, err := r.in.Peek(binary.MaxVarintLen64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	size, n := binary.Uvarint(head)
	left := r.size - r.at
	if n <= 0 || size > uint64(left) || int64(n)+int64(size)+4 > left {
		return nil, 0, errCutShort
	}
	if size > maxFrame {
		return nil, 0, errors.New("a frame's length is impossible")
	}
	whole = n + int(size) + 4
	frame, err := r.in.Peek(whole)
	if errors.Is(err, bufio.ErrBufferFull) {
		frame, err = r.readLarge(whole)
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errCutShort
		}
		return nil, 0, err
	}
	end := n + int(size)
	if binary.LittleEndian.Uint32(frame[end:]) != crc32.Checksum(frame[:end], castagnoli) {
		return nil, 0, errFrameCRC
	}
	return frame[n:end], whole, nil
}

// readLarge reads a frame that the buffer doesn't hold.
func (r *Reader) readLarge(n int) (frame []byte, err error) {
	if cap(r.frame) < n {
		r.frame = make([]byte, n)
	}
	r.large = n
	_, err = io.ReadFull(r.in, r.frame[:n])
	return r.frame[:n], err
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
// no error: the tail reports it. It fails when the file is missing, isn't a history, or is of another version, and with
// fn's error.
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
