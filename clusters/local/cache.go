package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness/wait"
)

// DefaultCache is where jars, archives and formatted storage are kept: $CHAEOS_CACHE, or else the user's cache folder.
func DefaultCache() string {
	if dir := os.Getenv("CHAEOS_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir() // no home: a cache that a reboot empties still works
	}
	return filepath.Join(dir, "chaeos")
}

// DefaultState is where a detached cluster is recorded by default.
func DefaultState() string { return filepath.Join(DefaultCache(), "state") }

// cached returns path if it exists. Else it calls fill with a temporary path in the same folder and moves the result
// into place, so that an interrupted fill leaves nothing that looks finished. Two processes never fill at once.
func cached(ctx context.Context, path string, fill func(tmp string) error) (string, error) {
	if exists(path) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	unlock, err := lockFile(ctx, path+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(path) { // another process filled it while we waited
		return path, nil
	}
	tmp := path + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return "", err
	}
	return path, os.Rename(tmp, path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lockFile takes an exclusive flock on path, which the kernel drops with the process, and returns what releases it.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	var held *os.File
	err = wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		held, err = tryLock(path)
		return held != nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { held.Close() }, nil
}

// tryLock returns the locked file, or nil if another process has it.
func tryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, err
}
