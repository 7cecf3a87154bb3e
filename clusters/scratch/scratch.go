// Package scratch makes folders that must not outlive the process that works in them: all under one folder of this user's,
// each with a lock that the kernel drops with the process. The next process removes those whose own is dead.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/wait"
)

// LockName is the file in each folder that its process holds a lock on for as long as it runs.
const LockName = "keeper.lock"

// Root holds all scratch folders of this user.
func Root() string { return filepath.Join(os.TempDir(), fmt.Sprintf("chaeos-%d", os.Getuid())) }

// Folder is one that this process works in.
type Folder struct {
	Path string
	lock *os.File
}

// kept are the locks of folders that are never removed by their process: they must end with it, and the garbage collector would
// close them.
var kept []*os.File

// Keep makes the folder stay locked for as long as the process runs, also if nothing refers to it any more.
func (f *Folder) Keep() { kept = append(kept, f.lock) }

// Make makes a folder under root, which it makes too, and which must be this user's alone. It first removes the folders there
// whose processes are dead. Kind is how its name begins.
func Make(ctx context.Context, root, kind string) (*Folder, error) {
	Sweep(ctx, root)
	var f *Folder
	err := inRoot(ctx, root, func() (err error) {
		f, err = makeIn(root, kind)
		return err
	})
	return f, err
}

// makeIn makes a locked folder. While it does, the root is locked, so that no sweep sees the folder without its lock.
func makeIn(root, kind string) (*Folder, error) {
	dir, err := os.MkdirTemp(root, kind+"-")
	if err != nil {
		return nil, err
	}
	lock, err := TryLock(filepath.Join(dir, LockName))
	if err == nil && lock == nil {
		err = errors.New("another process has it")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), os.RemoveAll(dir))
	}
	return &Folder{Path: dir, lock: lock}, nil
}

// Remove removes the folder, and the root if it was the last.
func (f *Folder) Remove(ctx context.Context) error {
	defer f.lock.Close()
	return Remove(ctx, f.Path)
}

// Remove removes a folder whose process is dead or is this one, and its root if it was the last.
func Remove(ctx context.Context, dir string) error {
	err := removeAll(ctx, dir)
	_ = os.Remove(filepath.Dir(dir)) // fails while another folder is there
	return err
}

// Owned reports whether the process that made a folder runs and holds its lock: unlike a process id, a lock is never used again.
func Owned(dir string) bool {
	path := filepath.Join(dir, LockName)
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	held, err := TryLock(path)
	if held != nil {
		held.Close()
	}
	return err == nil && held == nil
}

// Gone reports whether the folder is not the one any more that this process locked: somebody removed it.
func (f *Folder) Gone() bool {
	mine, err := f.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(filepath.Join(f.Path, LockName))
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(mine, there)
}

// Sweep removes the folders of dead processes under root, and returns which. What can't be removed now is left for the next time.
func Sweep(ctx context.Context, root string) (removed []string) {
	if files.Private(root) != nil { // not this user's: nothing there is ours
		return nil
	}
	_ = inRoot(ctx, root, func() error {
		dirs, err := filepath.Glob(filepath.Join(root, "*-*"))
		for _, dir := range dirs {
			held, _ := TryLock(filepath.Join(dir, LockName))
			if held == nil {
				continue
			}
			if removeAll(ctx, dir) == nil {
				removed = append(removed, dir)
			}
			held.Close()
		}
		return err
	})
	return removed
}

// lockWithin bounds the wait for others that make or sweep folders.
const lockWithin = 30 * time.Second

// inRoot does something while no other process makes or sweeps folders under root.
func inRoot(ctx context.Context, root string, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWithin, fmt.Errorf("another process has it for more than %s", lockWithin))
	defer cancel()
	var failed error
	err := wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) {
		if err := files.MakePrivate(root); err != nil {
			return false, err
		}
		held, err := tryLockFolder(root)
		if errors.Is(err, os.ErrNotExist) { // the last folder's process removed it just now
			return false, nil
		}
		if err != nil || held == nil {
			return false, err
		}
		defer held.Close()
		failed = do()
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("lock %s: %w", root, err)
	}
	return failed
}

// tryLockFolder locks root, nil if another process has it. One that was removed meanwhile is not there.
func tryLockFolder(root string) (*os.File, error) {
	dir, err := os.OpenFile(root, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	held, err := flock(dir)
	if held == nil {
		return nil, err
	}
	mine, err := held.Stat()
	there, statErr := os.Lstat(root)
	if err = errors.Join(err, statErr); err == nil && !os.SameFile(mine, there) {
		err = os.ErrNotExist
	}
	if err != nil {
		held.Close()
		return nil, err
	}
	return held, nil
}

// Lock takes an exclusive lock on a file, which the kernel drops with the process, and returns what releases it.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	var held *os.File
	err = wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		held, err = TryLock(path)
		return held != nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { held.Close() }, nil
}

// TryLock returns the locked file, made if it is not there, or nil if another process has it. It follows no link.
func TryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	return flock(file)
}

func flock(file *os.File) (*os.File, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, err
}

// removeAll removes a folder in which processes that were just killed may have written a last file.
func removeAll(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var last error
	err := wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		last = os.RemoveAll(dir)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("remove %s: %w", dir, last)
	}
	return nil
}
