package observation

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Writer streams one partition's log to a file. It is for one goroutine.
type Writer struct {
	file             *os.File
	out              *bufio.Writer
	buf              []byte
	scratch          []int64
	batches, records uint64
}

// Create makes a new observation file (an older one is replaced) and writes whose log it is.
func Create(path string, h Header) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("observation: %w", err)
	}
	w := &Writer{file: f, out: bufio.NewWriterSize(f, 256<<10)}
	_, err = w.out.Write(format.AppendHeader(nil, Version))
	err = errors.Join(err, w.frame(func(b []byte) []byte { return appendHeader(b, h) }))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("observation %s: %w", path, err), f.Close())
	}
	return w, nil
}

// Write appends one batch. Batches must come in log order.
func (w *Writer) Write(b *Batch) error {
	if len(b.Records) > maxRecords {
		return fmt.Errorf("observation: a batch of %d records at offset %d, %d is the most that is kept", len(b.Records), b.First, maxRecords)
	}
	w.batches++
	w.records += uint64(len(b.Records))
	return w.frame(func(dst []byte) []byte { return appendBatch(dst, b, &w.scratch) })
}

// Totals are the batches and records written so far.
func (w *Writer) Totals() (batches, records uint64) { return w.batches, w.records }

// Close writes the end frame and closes the file.
func (w *Writer) Close() error {
	err := w.frame(func(b []byte) []byte {
		b = append(b, kindEnd)
		b = binary.AppendUvarint(b, w.batches)
		return binary.AppendUvarint(b, w.records)
	})
	return errors.Join(err, w.Abandon())
}

// Abandon closes the file without an end frame: its reader will say that it is not whole.
func (w *Writer) Abandon() error {
	if err := errors.Join(w.out.Flush(), w.file.Close()); err != nil {
		return fmt.Errorf("observation: %w", err)
	}
	return nil
}

func (w *Writer) frame(body func([]byte) []byte) error {
	w.buf = format.Append(w.buf[:0], body)
	if _, err := w.out.Write(w.buf); err != nil {
		return fmt.Errorf("observation: %w", err)
	}
	return nil
}
