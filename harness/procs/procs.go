// Package procs starts child processes that cannot outlive this one: the kernel kills them when it ends, even if it is
// SIGKILLed, and even if the child is stopped.
package procs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
)

// Process is one started child. All methods may be called from any goroutine.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	// err is cmd.Wait's result, readable once done is closed.
	err error
}

// Start starts cmd in a process group of its own, with SIGKILL as its parent-death signal: a Ctrl-C at the terminal reaches
// the child only through us. The child is reaped as soon as it ends.
func Start(cmd *exec.Cmd) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	// A session leader already leads a group, and the kernel refuses to move it into another.
	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid
	if err := spawn(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	go p.reap()
	return p, nil
}

func (p *Process) reap() {
	p.err = p.cmd.Wait()
	close(p.done)
}

// Pid is the child's process id; it may be reused by the kernel once Done is closed.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and is reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended reports whether the child has ended and is reaped.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Err is what waiting for the child returned: nil for exit status 0 and while it runs, *exec.ExitError for others.
func (p *Process) Err() error {
	if !p.Ended() {
		return nil
	}
	return p.err
}

// ExitState is the ended child's state, or nil while it runs.
func (p *Process) ExitState() *os.ProcessState {
	if !p.Ended() {
		return nil
	}
	return p.cmd.ProcessState
}

// Wait returns Err once the child has ended, or the context's cause if that comes first.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Signal sends sig to the child. It returns os.ErrProcessDone if the child has ended.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// Kill ends the child and everything in its process group. It does not wait, and killing an ended child is no error.
func (p *Process) Kill() error {
	if p.Ended() {
		return nil
	}
	err := p.Signal(syscall.SIGKILL)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	// Best effort: grandchildren that moved to another group are not ours to find.
	_ = syscall.Kill(-p.Pid(), syscall.SIGKILL)
	return err
}

// Pause freezes the child with SIGSTOP and returns when the kernel has stopped every thread of it.
func (p *Process) Pause(ctx context.Context) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("pause process %d: %w", p.Pid(), err)
	}
	return wait.Poll(ctx, time.Millisecond, func() (bool, error) {
		if p.Ended() {
			return false, fmt.Errorf("pause process %d: %w", p.Pid(), os.ErrProcessDone)
		}
		return stopped(p.Pid())
	})
}

// Resume continues a paused child with SIGCONT.
func (p *Process) Resume() error {
	if err := p.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("resume process %d: %w", p.Pid(), err)
	}
	return nil
}
