package workloads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/procs"
)

// member is one source or worker over its incarnations. Its fields are guarded by the fleet's mutex.
type member struct {
	harness.Member
	// template is the specification of every incarnation, but for what changes.
	template spec
	life     *life
	// before are the counters of earlier incarnations, now those of the running one.
	before, now counters
	histories   []harness.HistoryRecord
}

// life is one incarnation's process.
type life struct {
	process *procs.Process
	stdin   *os.File
	enc     *json.Encoder
	log     string
	history string
	// ready, assigned: it said so at least once. Stopped: it was told to end. Killed: the run killed it.
	ready, assigned, stopped, killed bool
	// obeyed are the answers to commands, by id; told is the error it ended with.
	obeyed map[uint64]string
	told   string
	lastID uint64
	// gone is closed once the process is reaped and its last event was read.
	gone chan struct{}
}

// spawn starts the member's next incarnation. Events are read by the caller from the returned file.
func (m *member) spawn(command []string, dir string, s spec) (*os.File, error) {
	l := &life{obeyed: map[uint64]string{}, gone: make(chan struct{})}
	l.log = filepath.Join(dir, "processes", s.id()+".log")
	l.history = filepath.Join("history", s.id()+".hist")
	s.History = filepath.Join(dir, l.history)
	log, err := os.Create(l.log)
	if err != nil {
		return nil, fmt.Errorf("process log: %w", err)
	}
	defer log.Close()
	stdin, childIn, events, childOut, err := pipes()
	if err != nil {
		return nil, err
	}
	defer childIn.Close()
	defer childOut.Close()
	args := append(slices.Clone(command[1:]), Subcommand)
	cmd := exec.Command(command[0], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, log
	l.process, err = procs.Start(cmd)
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), events.Close())
	}
	l.stdin, l.enc = stdin, json.NewEncoder(stdin)
	m.life = l
	m.Pid, m.State, m.Incarnation = l.process.Pid(), harness.MemberRunning, int(s.Incarnation)
	// A process that is already dead is found when its events end.
	_ = l.enc.Encode(s)
	return events, nil
}

// pipes makes the two pipes of the control channel. They are files, not exec's pipes: those are closed by the reaper,
// which may come before the last event was read.
func pipes() (stdin, childIn, events, childOut *os.File, err error) {
	childIn, stdin, err = os.Pipe()
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("control channel: %w", err)
	}
	events, childOut, err = os.Pipe()
	if err != nil {
		return nil, nil, nil, nil, errors.Join(fmt.Errorf("control channel: %w", err), stdin.Close(), childIn.Close())
	}
	return stdin, childIn, events, childOut, nil
}

// send writes a command and returns its id. It can't block: a pipe holds thousands of commands.
func (l *life) send(c command) (uint64, error) {
	l.lastID++
	c.ID = l.lastID
	if err := l.enc.Encode(c); err != nil {
		return 0, fmt.Errorf("command %s: %w", c.Do, err)
	}
	return c.ID, nil
}

// hear updates the member by one event.
func (m *member) hear(e event) {
	switch e.Event {
	case evReady:
		m.life.ready = true
		if e.Address != "" {
			m.template.Service = e.Address
		}
	case evAssigned:
		m.life.assigned = true
		m.Partitions = e.Partitions
	case evProgress:
		m.now = e.counters
	case evWaiting:
		m.WaitingAt, m.Held = e.Phase, e.Held
	case evObeyed:
		m.life.obeyed[e.ID] = e.Error
	case evError:
		m.life.told = e.Error
	}
}

// buried closes the books on the incarnation: its process is reaped.
func (m *member) buried(dir string) {
	m.State, m.Pid, m.Partitions, m.WaitingAt, m.Held = harness.MemberDead, 0, nil, "", 0
	m.before.Intended += m.now.Intended
	m.before.Acked += m.now.Acked
	m.before.Processed += m.now.Processed
	m.now = counters{}
	h := &m.histories[len(m.histories)-1]
	h.Killed = m.life.killed
	if info, err := os.Stat(filepath.Join(dir, h.File)); err == nil {
		h.Bytes = info.Size()
	}
}

// last returns the record of the running incarnation's history.
func (m *member) record() harness.HistoryRecord {
	return harness.HistoryRecord{
		File: m.life.history, Process: m.Name, Role: m.Role, Pipeline: m.Pipeline,
		Number: m.Number, Incarnation: m.Incarnation,
	}
}

// await returns nil when the process is gone, or the context's cause.
func (l *life) await(ctx context.Context) error {
	select {
	case <-l.gone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
