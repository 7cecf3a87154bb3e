package observation

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// Tail says how a file ended.
type Tail struct {
	Batches, Records uint64
	// Ended says that the end frame is there and its totals are those that were read.
	Ended bool
	// Reason says why reading stopped before the end frame ("" when it did not).
	Reason string
}

// Reader streams one file, in memory bounded by its largest batch. It is for one goroutine.
type Reader struct {
	header Header
	in     *bufio.Reader
	file   io.Closer
	// unread are the bytes of the frame before that are still to be discarded: a frame's body lies in the buffer.
	unread int
	// at is where the frame that was read last begins in the file, next where the one after it does.
	at, next int64
	large    []byte
	decoder  batchDecoder
	tail     Tail
}

// bufferSize holds many frames of ordinary batches.
const bufferSize = 256 << 10

// Open opens a file and reads whose log it holds. It fails when the file is missing, is no observation, or is of
// another version.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("observation: %w", err)
	}
	r, err := newReader(f, f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("observation %s: %w", path, err), f.Close())
	}
	return r, nil
}

// VersionError says that a file is of a version that this program doesn't read.
type VersionError struct{ Version byte }

func (e VersionError) Error() string {
	return fmt.Sprintf("version %d; this chaeos reads versions %d to %d", e.Version, oldest, Version)
}

func newReader(in io.Reader, closer io.Closer) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, bufferSize), file: closer}
	start := make([]byte, len(fileMagic)+1)
	if _, err := io.ReadFull(r.in, start); err != nil || string(start[:len(fileMagic)]) != fileMagic {
		return nil, errors.New("not an observation file")
	}
	if v := start[len(fileMagic)]; v < oldest || v > Version {
		return nil, VersionError{v}
	}
	r.next = int64(len(start))
	body, reason := r.frame()
	if reason != "" {
		return nil, errors.New(reason)
	}
	if len(body) == 0 || body[0] != kindHeader {
		return nil, errMalformed
	}
	h, err := readHeader(body[1:])
	r.header = h
	return r, err
}

// Header says whose log the file holds.
func (r *Reader) Header() Header { return r.header }

// Tail says how the file ended, once Next returned false.
func (r *Reader) Tail() Tail { return r.tail }

// Close closes the file.
func (r *Reader) Close() error {
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("observation: %w", err)
	}
	return nil
}

// Next reads the next batch into b, whose slices it reuses, and returns false at the end of what can be read.
func (r *Reader) Next(b *Batch) bool {
	if r.tail.Ended || r.tail.Reason != "" {
		return false
	}
	body, reason := r.frame()
	if reason == "" {
		reason = r.decode(body, b)
	}
	r.tail.Reason = reason
	return reason == "" && !r.tail.Ended
}

func (r *Reader) decode(body []byte, b *Batch) (reason string) {
	switch {
	case len(body) > 0 && body[0] == kindBatch:
		records, err := r.decoder.read(body[1:], b)
		if err != nil {
			return err.Error()
		}
		b.Place = r.at
		r.tail.Batches++
		r.tail.Records += records
		return ""
	case len(body) > 0 && body[0] == kindEnd:
		return r.end(body[1:])
	}
	return errMalformed.Error()
}

func (r *Reader) end(body []byte) (reason string) {
	d := decoder{b: body}
	batches, records := d.uint(), d.uint()
	r.discard()
	switch _, err := r.in.ReadByte(); {
	case d.bad || len(d.b) != 0:
		return errMalformed.Error()
	case batches != r.tail.Batches || records != r.tail.Records:
		return "the file holds other totals than its end frame says"
	case !errors.Is(err, io.EOF):
		return "bytes follow the end frame"
	}
	r.tail.Ended = true
	return ""
}

func (r *Reader) discard() {
	_, _ = r.in.Discard(r.unread) // these bytes were peeked at
	r.unread = 0
}

// frame reads one whole frame and returns its body, valid until the next call.
func (r *Reader) frame() (body []byte, reason string) {
	r.discard()
	r.at = r.next
	length, err := r.in.Peek(4)
	if err != nil {
		return nil, cut(err)
	}
	n := int(binary.LittleEndian.Uint32(length))
	if n > maxFrame {
		return nil, "a frame's length is impossible"
	}
	frame, err := r.in.Peek(n + 8)
	r.unread = len(frame)
	if errors.Is(err, bufio.ErrBufferFull) {
		r.unread = 0
		frame, err = r.readLarge(n + 8)
	}
	if err != nil {
		return nil, cut(err)
	}
	if binary.LittleEndian.Uint32(frame[n+4:]) != crc32.Checksum(frame[:n+4], castagnoli) {
		return nil, "a frame's CRC is wrong"
	}
	r.next += int64(n) + 8
	return frame[4 : n+4], ""
}

// readLarge reads n bytes that the buffer doesn't hold. It grows with what is really there: a damaged length must not
// allocate for nothing.
func (r *Reader) readLarge(n int) ([]byte, error) {
	const step = 1 << 20
	r.large = r.large[:0]
	for len(r.large) < n {
		start := len(r.large)
		end := min(n, start+step)
		if cap(r.large) < end {
			r.large = append(r.large, make([]byte, end-start)...)
		}
		r.large = r.large[:end]
		if _, err := io.ReadFull(r.in, r.large[start:]); err != nil {
			return nil, err
		}
	}
	return r.large, nil
}

func cut(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file is cut short"
	}
	return err.Error()
}

// ReadFile calls fn with every batch that can be read; the batch is reused. Where headers are enough, records are not
// decoded. It returns fn's first error.
func ReadFile(path string, headers bool, fn func(*Batch) error) (Header, Tail, error) {
	if headers {
		return readFile(path, headersOnly, fn)
	}
	return readFile(path, asRecords, fn)
}

// ReadRuns is ReadFile with each batch's records as runs (Batch.Runs): far faster where a log was written in order.
func ReadRuns(path string, fn func(*Batch) error) (Header, Tail, error) {
	return readFile(path, asRuns, fn)
}

// ReadRunsFrom reads up to n batches as runs, the first of them at a place that a batch of the file had (Batch.Place). It
// ends early where the file does.
func ReadRunsFrom(path string, place int64, n int, fn func(*Batch)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("observation: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(place, io.SeekStart); err != nil {
		return fmt.Errorf("observation %s: %w", path, err)
	}
	r := &Reader{in: bufio.NewReaderSize(f, bufferSize), file: f, next: place, decoder: batchDecoder{form: asRuns}}
	var b Batch
	for ; n > 0 && r.Next(&b); n-- {
		fn(&b)
	}
	return nil
}

func readFile(path string, as form, fn func(*Batch) error) (Header, Tail, error) {
	r, err := Open(path)
	if err != nil {
		return Header{}, Tail{}, err
	}
	r.decoder.form = as
	var b Batch
	for r.Next(&b) {
		if err := fn(&b); err != nil {
			return r.Header(), r.Tail(), errors.Join(err, r.Close())
		}
	}
	return r.Header(), r.Tail(), r.Close()
}
