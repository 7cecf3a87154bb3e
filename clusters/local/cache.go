package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chaeos/chaeos/clusters/scratch"
	"golang.org/x/sys/unix"
)

// DefaultCache is where jars, archives and formatted storage are kept: $CHAEOS_CACHE, or else the user's cache folder.
func DefaultCache() string {
	if dir := os.Getenv("CHAEOS_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil { // no home: a cache that a reboot empties still works
		return filepath.Join(os.TempDir(), fmt.Sprintf("chaeos-cache-%d", os.Getuid()))
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
	dir := filepath.Dir(path)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	unlock, err := scratch.Lock(ctx, dir+"."+filepath.Base(path)+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	defer func() { _ = unix.Rmdir(dir) }() // fails unless nothing could be put there, and for a link
	if exists(path) {                      // another process filled it while we waited
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
