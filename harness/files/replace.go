// Package files writes files whole or not at all, in folders that may come from elsewhere: no link in them is followed.
package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Pending is a file that is not at its place yet: it has a random name in the same folder.
type Pending struct {
	*os.File
	path string
}

// Create begins a file that Keep will put at path. Its name can't be foreseen and must not exist, so no link, and no other
// writer of the same file, is in its way.
func Create(path string) (*Pending, error) {
	name := fmt.Sprintf("%s.%s.tmp", path, rand.Text()[:10])
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, err
	}
	return &Pending{f, path}, nil
}

// Keep closes the file and puts it at its place. A file or a link that is there is replaced.
func (p *Pending) Keep() error {
	err := p.Close()
	if err == nil {
		err = os.Rename(p.Name(), p.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(p.Name()))
	}
	return nil
}

// Discard closes and removes the file. What is at its place stays.
func (p *Pending) Discard() error { return errors.Join(p.Close(), os.Remove(p.Name())) }

// Replace puts what write writes at path, whole or not at all.
func Replace(path string, write func(io.Writer) error) error {
	p, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(p); err != nil {
		return errors.Join(err, p.Discard())
	}
	return p.Keep()
}

// ReplaceBytes puts data at path, whole or not at all.
func ReplaceBytes(path string, data []byte) error {
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Fresh makes an empty file at path for a log that grows. A file or a link that is there is removed first.
func Fresh(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NOFOLLOW, 0o644)
}

// ExportFolder makes the folder into which a run is exported, with those above it. In the run's own folder it refuses a link, as
// Folder does.
func ExportFolder(run, into string) error {
	if filepath.Dir(filepath.Clean(into)) == filepath.Clean(run) {
		return Folder(into)
	}
	return os.MkdirAll(into, 0o755)
}

// Folder makes a folder within a folder that exists. It refuses a link: what would be written through it is elsewhere.
func Folder(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder of its own in %s (remove it)", path, filepath.Dir(path))
	}
	return nil
}
