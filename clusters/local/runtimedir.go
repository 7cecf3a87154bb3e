package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
)

// Files of a cluster's folder.
const (
	keeperLock   = "keeper.lock" // held by the keeper as long as it lives
	keeperSocket = "k.sock"
)

// runtimeRoot holds one folder a running cluster, of this user's.
func runtimeRoot() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("chaeos-%d", os.Getuid()))
}

// newClusterDir makes a cluster's folder and locks it for the life of this process. It first removes the folders of
// keepers that were killed and so could not remove their own.
func newClusterDir(ctx context.Context, root string) (string, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", err
	}
	// One at a time: a folder that is made but not locked yet would look like a dead keeper's.
	unlock, err := lockFile(ctx, filepath.Join(root, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	sweep(ctx, root)
	dir, err := os.MkdirTemp(root, "cluster-")
	if err != nil {
		return "", err
	}
	held, err := tryLock(filepath.Join(dir, keeperLock))
	if err != nil || held == nil {
		return "", fmt.Errorf("lock %s: %w", dir, err)
	}
	// Never closed: the lock must end with the process and not before. Kept from the garbage collector, which closes.
	keptLocks = append(keptLocks, held)
	return dir, nil
}

var keptLocks []*os.File

// sweep removes the folders of dead keepers. What can't be removed now is left for the next start.
func sweep(ctx context.Context, root string) {
	dirs, _ := filepath.Glob(filepath.Join(root, "cluster-*"))
	for _, dir := range dirs {
		held, err := tryLock(filepath.Join(dir, keeperLock))
		if err != nil || held == nil {
			continue
		}
		_ = removeAll(ctx, dir)
		held.Close()
	}
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
