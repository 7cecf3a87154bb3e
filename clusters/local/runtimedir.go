package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
)

// Files of a cluster's folder.
const (
	keeperLock   = "keeper.lock" // held by the keeper as long as it runs
	keeperSocket = "k.sock"
)

// runtimeRoot holds one folder a running cluster, of this user's.
func runtimeRoot() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("chaeos-%d", os.Getuid()))
}

// newClusterDir makes a cluster's folder and locks it until this process ends. It first removes the folders of
// keepers that were killed and so could not remove their own.
func newClusterDir(ctx context.Context, root string) (string, error) {
	sweep(ctx, root)
	unnamed, err := makeIn(root)
	if err != nil {
		return "", err
	}
	held, err := tryLock(filepath.Join(unnamed, keeperLock))
	if err != nil || held == nil {
		return "", fmt.Errorf("lock %s: %w", unnamed, err)
	}
	// Never closed: the lock must end with the process and not before. Kept from the garbage collector, which closes.
	keptLocks = append(keptLocks, held)
	// Renamed only now: a folder with this name and no lock is a dead keeper's.
	dir := filepath.Join(root, clusterPrefix+strings.TrimPrefix(filepath.Base(unnamed), unnamedPrefix))
	return dir, os.Rename(unnamed, dir)
}

const (
	clusterPrefix = "cluster-"
	unnamedPrefix = "new-"
)

// makeIn makes a folder in root, which a keeper that ends just now may remove as empty: then it tries again.
func makeIn(root string) (dir string, err error) {
	for range 10 {
		if err = os.MkdirAll(root, 0o700); err != nil {
			return "", err
		}
		if dir, err = os.MkdirTemp(root, unnamedPrefix); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return dir, err
}

// removeClusterDir removes a cluster's folder, and its parent if it was the last.
func removeClusterDir(ctx context.Context, dir string) error {
	err := removeAll(ctx, dir)
	_ = os.Remove(filepath.Dir(dir)) // fails while another cluster's folder is there
	return err
}

var keptLocks []*os.File

// Prune removes the folders of keepers that were killed, and returns which.
func Prune(ctx context.Context) []string { return sweep(ctx, runtimeRoot()) }

// sweep removes the folders of dead keepers. What can't be removed now is left for the next start.
func sweep(ctx context.Context, root string) (removed []string) {
	dirs, _ := filepath.Glob(filepath.Join(root, clusterPrefix+"*"))
	for _, dir := range dirs {
		held, err := tryLock(filepath.Join(dir, keeperLock))
		if err != nil || held == nil {
			continue
		}
		if removeAll(ctx, dir) == nil {
			removed = append(removed, "folder "+dir)
		}
		held.Close()
	}
	return removed
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
