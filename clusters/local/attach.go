package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/wait"
)

// attachWithin bounds the question to a recorded keeper.
const attachWithin = 5 * time.Second

// Attach returns the detached cluster recorded in stateDir, or harness.ErrNoCluster. If its keeper is gone, the error
// is harness.ErrStale, and what the keeper left is removed, with the record.
func Attach(ctx context.Context, stateDir string) (harness.Cluster, error) {
	d, err := loadState(stateDir)
	if err != nil {
		return nil, err
	}
	if err := ofThisUser(d.Info.DataDir); err != nil {
		return nil, fmt.Errorf("%s: %w", stateFile(stateDir), err)
	}
	if !scratch.Owned(d.Info.DataDir) {
		return nil, errors.Join(stale(d.Info.DataDir), scratch.Remove(ctx, d.Info.DataDir), forget(stateDir))
	}
	c := newCluster(d, attached{pid: d.Info.KeeperPid, dir: d.Info.DataDir}, func() error { return forget(stateDir) })
	ctx, cancel := context.WithTimeout(ctx, attachWithin)
	defer cancel()
	// Links may have been made since the state was saved.
	if err := c.call(ctx, http.MethodGet, "/description", &c.description); err != nil {
		return nil, err
	}
	c.links = c.description.Links
	return c, nil
}

// Prune removes what killed keepers and other dead processes left, and returns which folders those were.
func Prune(ctx context.Context) (removed []string) {
	for _, dir := range scratch.Sweep(ctx, scratch.Root()) {
		removed = append(removed, "folder "+dir)
	}
	return removed
}

// checkNoneUp refuses a second detached cluster, and forgets one whose keeper is gone.
func (p *Provider) checkNoneUp(ctx context.Context) error {
	c, err := Attach(ctx, p.StateDir)
	switch {
	case errors.Is(err, harness.ErrNoCluster), errors.Is(err, harness.ErrStale):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("a cluster is already up, kept by process %d", c.Info().KeeperPid)
}

// ofThisUser refuses a folder that no keeper of this user made: a recorded one is removed with all that is in it.
func ofThisUser(dir string) error {
	root, ours := filepath.Base(scratch.Root()), strings.HasPrefix(filepath.Base(dir), clusterKind+"-")
	if !ours || !filepath.IsAbs(dir) || filepath.Base(filepath.Dir(dir)) != root || exists(dir) && !exists(filepath.Join(dir, scratch.LockName)) {
		return fmt.Errorf("%q is not the folder of a cluster: remove this file if no cluster is up", dir)
	}
	return nil
}

// stale says what became of a cluster whose keeper doesn't hold its folder.
func stale(dir string) error {
	if exists(dir) {
		return errStale
	}
	return fmt.Errorf("%w: its folder %s was removed, and so its keeper ends it", harness.ErrStale, dir)
}

// attached is a keeper that another process started.
type attached struct {
	pid int
	dir string
}

var _ keeperHandle = attached{}

func (a attached) release() {}

// kill ends the keeper, if the process of that number is still the keeper.
func (a attached) kill() {
	if scratch.Owned(a.dir) {
		_ = syscall.Kill(a.pid, syscall.SIGKILL)
	}
}

func (a attached) wait(ctx context.Context) error {
	err := wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) {
		return errors.Is(syscall.Kill(a.pid, 0), syscall.ESRCH) || zombie(a.pid), nil
	})
	if err != nil {
		return fmt.Errorf("the keeper (process %d) has not ended: %w", a.pid, err)
	}
	return nil
}

// stateFile records a detached cluster.
func stateFile(stateDir string) string { return filepath.Join(stateDir, "cluster.json") }

func saveState(stateDir string, d description) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(stateDir, 0o755); err != nil {
		return err
	}
	return files.ReplaceBytes(stateFile(stateDir), append(text, '\n'))
}

func loadState(stateDir string) (description, error) {
	text, err := os.ReadFile(stateFile(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return description{}, harness.ErrNoCluster
	}
	if err != nil {
		return description{}, err
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil { // cut short, or not ours: what it named is swept by the next start
		return description{}, errors.Join(fmt.Errorf("%w: %s can't be read (%w), and was removed; `chaeos cluster prune` removes what a dead cluster left",
			harness.ErrStale, stateFile(stateDir), err), forget(stateDir))
	}
	return d, nil
}

func forget(stateDir string) error {
	err := os.Remove(stateFile(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// zombie reports whether a process has ended and only waits to be reaped by its parent.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	end := bytes.LastIndexByte(stat, ')')
	return end >= 0 && bytes.HasPrefix(stat[end:], []byte(") Z"))
}
