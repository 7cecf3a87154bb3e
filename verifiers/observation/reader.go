package observation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/frame"
)

// Tail describes how a file ended.
type Tail struct {
	Batches, Records uint64
	// Ended reports whether the end frame is there and its totals are those that were read.
	Ended bool
	// Reason is why reading stopped before the end frame ("" if it did not).
	Reason string
}

// Reader streams one file, in memory bounded by its largest batch. It is for one goroutine.
type Reader struct {
	header  Header
	frames  *frame.Reader
	file    io.Closer
	decoder batchDecoder
	tail    Tail
}

// Open opens a file and reads whose log it holds. It fails if the file is missing, is no observation, or is of another
// version.
func Open(path string) (*Reader, error) {
	f, size, err := open(path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f, size, f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("observation %s: %w", path, err), f.Close())
	}
	return r, nil
}

func open(path string) (f *os.File, size int64, err error) {
	f, size, err = files.OpenRegular(path)
	if err != nil {
		return nil, 0, fmt.Errorf("observation: %w", err)
	}
	return f, size, nil
}

// VersionError is the error for a file of a version that this program doesn't read.
type VersionError struct{ Version byte }

func (e VersionError) Error() string {
	return fmt.Sprintf("version %d; this chaeos reads versions %d to %d", e.Version, oldest, Version)
}

func newReader(in io.Reader, size int64, closer io.Closer) (*Reader, error) {
	r := &Reader{frames: format.NewReader(in, size), file: closer}
	switch version, err := r.frames.Header(); {
	case errors.Is(err, frame.ErrMagic), errors.Is(err, frame.ErrCut):
		return nil, errors.New("not an observation file")
	case err != nil:
		return nil, err
	case version < oldest || version > Version:
		return nil, VersionError{version}
	}
	body, err := r.frames.Next()
	if err != nil {
		return nil, errors.New(reasonOf(err))
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

// Tail describes how the file ended, once Next returned false.
func (r *Reader) Tail() Tail { return r.tail }

// Close closes the file.
func (r *Reader) Close() error {
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("observation: %w", err)
	}
	return nil
}

// Next reads the next batch into b, whose slices it uses again, and returns false at the end of what can be read.
func (r *Reader) Next(b *Batch) bool {
	if r.tail.Ended || r.tail.Reason != "" {
		return false
	}
	body, err := r.frames.Next()
	if err != nil {
		r.tail.Reason = reasonOf(err)
		return false
	}
	r.tail.Reason = r.decode(body, b)
	return r.tail.Reason == "" && !r.tail.Ended
}

// reasonOf is why reading stopped. A file without its end frame is cut short, also where it ends after a whole frame.
func reasonOf(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, frame.ErrCut) {
		return "the file is cut short"
	}
	return err.Error()
}

func (r *Reader) decode(body []byte, b *Batch) (reason string) {
	switch {
	case len(body) > 0 && body[0] == kindBatch:
		records, err := r.decoder.read(body[1:], b)
		if err != nil {
			return err.Error()
		}
		b.Place = r.frames.At()
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
	malformed := d.bad || len(d.b) != 0
	switch _, err := r.frames.Next(); {
	case malformed:
		return errMalformed.Error()
	case batches != r.tail.Batches || records != r.tail.Records:
		return "the file holds other totals than its end frame says"
	case !errors.Is(err, io.EOF):
		return "bytes follow the end frame"
	}
	r.tail.Ended = true
	return ""
}

// ReadFile calls fn with every batch that can be read; the batch is reused. Where headers are enough, records are not
// decoded. It returns fn's first error.
func ReadFile(path string, headers bool, fn func(*Batch) error) (Header, Tail, error) {
	if headers {
		return readFile(path, headersOnly, fn)
	}
	return readFile(path, asRecords, fn)
}

// ReadSpans is ReadFile with each batch's records as spans (Batch.Spans): far faster where a log was written in order.
func ReadSpans(path string, fn func(*Batch) error) (Header, Tail, error) {
	return readFile(path, asSpans, fn)
}

// ReadSpansFrom reads up to n batches as spans, the first of them at a place that a batch of the file had (Batch.Place). It
// fails where the file ends before, or can't be read there any more.
func ReadSpansFrom(path string, place int64, n int, fn func(*Batch)) error {
	f, size, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(place, io.SeekStart); err != nil {
		return fmt.Errorf("observation %s: %w", path, err)
	}
	r := &Reader{frames: format.NewReaderAt(f, place, size), file: f, decoder: batchDecoder{form: asSpans}}
	var b Batch
	for ; n > 0 && r.Next(&b); n-- {
		fn(&b)
	}
	if n > 0 {
		return fmt.Errorf("observation %s: %d batches after offset %d of the file can't be read again: %s", path, n, place, cmp.Or(r.tail.Reason, "the file ends"))
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
