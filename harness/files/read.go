package files

import (
	"fmt"
	"os"
	"syscall"
)

// ReadBounded reads a regular file of at most this many bytes, and refuses devices, pipes and folders.
func ReadBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, irregular(path)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes, %d is the most that is read", path, info.Size(), most)
	}
	return os.ReadFile(path)
}

// OpenRegular opens a regular file for reading, and refuses devices, pipes and folders: a run's folder may come from
// elsewhere, and a pipe would make its reader wait for ever. Size is the file's, in bytes.
func OpenRegular(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path) // to open a device can be an act of its own
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, irregular(path)
	}
	// The path may name another file by now: not blocking, a pipe opens at once.
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = irregular(path)
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func irregular(path string) error {
	return fmt.Errorf("%s is not a regular file: use a folder as chaeos run left it", path)
}
