package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/procs"
)

// node is one broker as its keeper runs it: one process at a time, on the same data and addresses.
type node struct {
	id int
	// dir is the node's folder.
	dir     string
	command func() *exec.Cmd
	log     string

	mu      sync.Mutex
	process *procs.Process
	paused  bool
	// onPurpose reports whether the run ended the process.
	onPurpose bool
}

// Start starts the node's process; it is an error while one runs.
func (n *node) Start(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.running() {
		return fmt.Errorf("node %d already runs", n.id)
	}
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close() // the child has its own
	cmd := n.command()
	cmd.Stdout, cmd.Stderr = log, log
	process, err := procs.Start(cmd)
	if err != nil {
		return err
	}
	n.process, n.paused, n.onPurpose = process, false, false
	return nil
}

// Kill ends the process with SIGKILL and reaps it.
func (n *node) Kill(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.running() {
		return n.notRunning()
	}
	n.onPurpose = true
	if err := n.process.Kill(); err != nil {
		return err
	}
	return n.reaped(ctx, n.process)
}

// Stop ends the process with SIGTERM, which lets the broker hand over its leaders, and reaps it.
func (n *node) Stop(ctx context.Context) error {
	process, err := n.terminate()
	if err != nil {
		return err
	}
	return n.reaped(ctx, process) // unlocked: it may take long, and its state can be asked for meanwhile
}

// terminate sends SIGTERM.
func (n *node) terminate() (*procs.Process, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.running() {
		return nil, n.notRunning()
	}
	if n.paused {
		return nil, fmt.Errorf("node %d is paused: resume it before it can stop in order", n.id)
	}
	n.onPurpose = true
	if err := n.process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, err
	}
	return n.process, nil
}

func (n *node) reaped(ctx context.Context, process *procs.Process) error {
	select {
	case <-process.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("node %d has not ended: %w", n.id, context.Cause(ctx))
	}
}

// Pause freezes the process.
func (n *node) Pause(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.running() {
		return n.notRunning()
	}
	if err := n.process.Pause(ctx); err != nil {
		return err
	}
	n.paused = true
	return nil
}

// Resume continues the process; resuming one that runs changes nothing.
func (n *node) Resume(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.running() {
		return n.notRunning()
	}
	if err := n.process.Resume(); err != nil {
		return err
	}
	n.paused = false
	return nil
}

func (n *node) running() bool { return n.process != nil && !n.process.Ended() }

func (n *node) notRunning() error { return fmt.Errorf("node %d is not running", n.id) }

// status is the process's state, and why it ended if the run did not end it.
func (n *node) status() harness.NodeStatus {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := harness.NodeStatus{Node: n.id, State: harness.NodeStopped}
	switch {
	case n.running():
		s.Pid, s.State = n.process.Pid(), harness.NodeRunning
		if n.paused {
			s.State = harness.NodePaused
		}
	case n.process != nil && !n.onPurpose:
		s.Unplanned = true
		s.Reason = n.died().Error()
	}
	return s
}

// died describes an unplanned end with the last lines of the log.
func (n *node) died() *StartError {
	return &StartError{Node: n.id, Why: fmt.Sprintf("ended unplanned (%s)", n.process.ExitState()), Log: n.log, Tail: tail(n.log, tailLines)}
}

const (
	tailLines = 15
	tailBytes = 16 << 10
)

// tail returns up to n last lines of a file; a file that can't be read has none.
func tail(path string, n int) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	buffer := make([]byte, min(info.Size(), tailBytes))
	if _, err := file.ReadAt(buffer, info.Size()-int64(len(buffer))); err != nil {
		return nil
	}
	lines := strings.Split(string(bytes.TrimSpace(buffer)), "\n")
	return lines[max(0, len(lines)-n):]
}
