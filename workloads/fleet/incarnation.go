package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// incarnation is one process of a member.
type incarnation struct {
	process *procs.Process
	control Control
	// log is the path of what it prints; history is its history file, relative to the run's folder.
	log, history string
	// ready, assigned: it said so at least once. Stopped: it was asked to end. Killed: the run killed it.
	ready, assigned, stopped, killed bool
	// obeyed are the answers to commands, by id; failure is the error that it ended with.
	obeyed  map[uint64]string
	failure string
	lastID  uint64
	// gone is closed once the process is reaped and its last event was heard.
	gone chan struct{}
}

// start starts the member's next incarnation.
func (m *member) start(dir string, s protocol.Spec) error {
	i := &incarnation{obeyed: map[uint64]string{}, gone: make(chan struct{})}
	i.log = filepath.Join(dir, "processes", s.ID()+".log")
	i.history = filepath.Join("history", s.ID()+".hist")
	s.History = filepath.Join(dir, i.history)
	log, err := os.Create(i.log)
	if err != nil {
		return fmt.Errorf("process log: %w", err)
	}
	defer log.Close()
	if i.process, i.control, err = m.program.Start(s, log); err != nil {
		return err
	}
	m.current = i
	m.Pid, m.State, m.Incarnation = i.process.Pid(), harness.MemberRunning, int(s.Incarnation)
	m.histories = append(m.histories, m.record())
	return nil
}

// tell sends a command and returns its id.
func (i *incarnation) tell(c protocol.Command) (uint64, error) {
	i.lastID++
	c.ID = i.lastID
	if err := i.control.Tell(c); err != nil {
		return 0, fmt.Errorf("command %s: %w", c.Do, err)
	}
	return c.ID, nil
}

// await returns nil when the process is gone, or the context's cause.
func (i *incarnation) await(ctx context.Context) error {
	select {
	case <-i.gone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// incident describes what was unplanned about the process's end, and reports whether anything was.
func (i *incarnation) incident() (string, bool) {
	err := i.process.Err()
	switch {
	case i.killed, i.stopped && err == nil:
		return "", false
	case err == nil && i.failure == "":
		return "ended without being asked to" + logTail(i.log), true
	}
	reason := fmt.Sprint(err)
	if i.failure != "" {
		reason += ": " + i.failure
	}
	return "ended by itself: " + reason + logTail(i.log), true
}

// An incident quotes the last lines of a log, each up to a width in bytes.
const (
	logTailLines = 3
	logTailWidth = 200
)

// logTail quotes the end of a process's log.
func logTail(path string) string {
	data, err := os.ReadFile(path)
	text := strings.TrimSpace(string(data))
	if err != nil || text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-logTailLines):]
	for i, line := range lines {
		lines[i] = line[:min(len(line), logTailWidth)]
	}
	return "; its log ends: " + strings.Join(lines, " | ")
}
