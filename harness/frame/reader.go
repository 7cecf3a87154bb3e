package frame

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// The errors of a reader, in addition to those of what it reads from.
var (
	// ErrMagic: the file is of another kind.
	ErrMagic = errors.New("not this kind of file")
	// ErrCut: the file ends inside a frame, or inside its header.
	ErrCut = errors.New("the last frame is cut short")
	// ErrCRC: a frame was damaged.
	ErrCRC = errors.New("a frame's CRC is wrong")
	// ErrLength: a frame claims to be larger than any is.
	ErrLength = errors.New("a frame's length is impossible")
)

// Reader streams frames, in memory bounded by the largest. It is for one goroutine.
type Reader struct {
	format Format
	in     *bufio.Reader
	// size is where reading ends; at is where the frame that was read last begins, next where the one after it does.
	size, at, next int64
	// unread are bytes of the last frame that are still to be discarded: its body is in the buffer.
	unread int
	// large holds a frame that doesn't fit into the buffer.
	large []byte
}

// NewReader reads a file of size bytes.
func (f Format) NewReader(in io.Reader, size int64) *Reader { return f.NewReaderAt(in, 0, size) }

// NewReaderAt is NewReader for one that stands at a place inside the file already.
func (f Format) NewReaderAt(in io.Reader, place, size int64) *Reader {
	return &Reader{format: f, in: bufio.NewReaderSize(io.LimitReader(in, size-place), f.Buffer), size: size, at: place, next: place}
}

// Header reads the beginning of a file, and returns its version.
func (r *Reader) Header() (version byte, err error) {
	n := int(r.format.HeaderSize())
	if r.size < int64(n) {
		return 0, ErrCut
	}
	head, err := r.in.Peek(n)
	if err != nil {
		return 0, cut(err)
	}
	if string(head[:n-1]) != r.format.Magic {
		return 0, ErrMagic
	}
	r.unread, r.next = n, int64(n)
	return head[n-1], nil
}

// At is where the frame that was read last begins in the file.
func (r *Reader) At() int64 { return r.at }

// Left are the bytes from there to the end: after an error, what could not be read.
func (r *Reader) Left() int64 { return r.size - r.at }

// Next returns the next frame's body, valid until the next call, or io.EOF where the file ends after a whole frame.
// After an error there is nothing more to read.
func (r *Reader) Next() (body []byte, err error) {
	_, _ = r.in.Discard(r.unread) // these bytes were peeked at
	r.unread = 0
	r.at = r.next
	if r.at == r.size {
		return nil, io.EOF
	}
	start, n, err := r.length()
	if err != nil {
		return nil, err
	}
	end := start + n
	frame, err := r.whole(end + crcSize)
	if err != nil {
		return nil, cut(err)
	}
	if binary.LittleEndian.Uint32(frame[end:]) != crc32.Checksum(frame[:end], castagnoli) {
		return nil, ErrCRC
	}
	r.next += int64(len(frame))
	return frame[start:end], nil
}

// length looks at the next frame's length: where its body starts, and the body's size.
func (r *Reader) length() (start, body int, err error) {
	head, err := r.in.Peek(binary.MaxVarintLen64)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	size, start := r.format.length(head)
	switch {
	case start == 0:
		return 0, 0, ErrCut
	case size > r.format.Most:
		return 0, 0, ErrLength
	case int64(start)+int64(size)+crcSize > r.size-r.at:
		return 0, 0, ErrCut
	}
	return start, int(size), nil
}

// whole returns the next n bytes, which are known to be there.
func (r *Reader) whole(n int) ([]byte, error) {
	frame, err := r.in.Peek(n)
	if !errors.Is(err, bufio.ErrBufferFull) {
		r.unread = len(frame)
		return frame, err
	}
	if cap(r.large) < n {
		r.large = make([]byte, n)
	}
	_, err = io.ReadFull(r.in, r.large[:n])
	return r.large[:n], err
}

// cut is the error of a file that is shorter than it was.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return err
}
