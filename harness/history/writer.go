package history

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// Version is the on-disk version of history files.
const Version = 1

// Writer appends entries to one history file. It is safe for several goroutines. Each Write is one write(2) call: once it
// has returned, its entries survive the SIGKILL of the process.
type Writer struct {
	mu   sync.Mutex
	file *os.File
	buf  []byte
	err  error
}

// Create makes a new history file (it must not exist) and writes its header and the process entry.
func Create(path string, p Process) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	w := &Writer{file: f}
	if _, err := f.Write(format.AppendHeader(nil, Version)); err != nil {
		return nil, errors.Join(fmt.Errorf("history: %w", err), f.Close())
	}
	if err := w.Write(&p); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Write appends entries in one system call. After an error (disk full) the writer returns it again each time: a history
// with a hole would prove things that didn't happen.
func (w *Writer) Write(entries ...Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.buf = w.buf[:0]
	for _, e := range entries {
		w.buf = appendFrame(w.buf, e)
	}
	if _, err := w.file.Write(w.buf); err != nil {
		w.err = fmt.Errorf("history: %w", err)
	}
	return w.err
}

// Close writes the End entry and closes the file.
func (w *Writer) Close() error {
	err := w.Write(&End{Stamp: AtNow()})
	return errors.Join(err, w.file.Close())
}

// appendFrame appends an entry as one frame.
func appendFrame(dst []byte, e Entry) []byte {
	return format.Append(dst, func(dst []byte) []byte { return marshal(dst, e) })
}
