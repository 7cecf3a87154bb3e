package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// own runs this executable as a source, a worker or the service: command and the hidden subcommand.
type own struct{ command []string }

var _ Program = own{}

// Start starts a process whose standard input and output are the control channel.
func (o own) Start(s protocol.Spec, log *os.File) (*procs.Process, Control, error) {
	p, err := newPipes()
	if err != nil {
		return nil, nil, fmt.Errorf("control channel: %w", err)
	}
	defer p.childIn.Close()
	defer p.childOut.Close()
	cmd := exec.Command(o.command[0], append(slices.Clone(o.command[1:]), protocol.Subcommand)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.childIn, p.childOut, log
	process, err := procs.Start(cmd)
	if err != nil {
		return nil, nil, errors.Join(err, p.in.Close(), p.out.Close())
	}
	c := &ownControl{pipes: p, commands: json.NewEncoder(p.in), events: json.NewDecoder(p.out)}
	_ = c.commands.Encode(s) // a process that is dead already is noticed when its events end
	return process, c, nil
}

// pipes are the two pipes of the control channel. They are files, not exec's pipes: those are closed by the reaper, which
// may come before the last event was read.
type pipes struct {
	// childIn and childOut are the process's standard input and output, in and out our ends of them.
	childIn, childOut, in, out *os.File
}

func newPipes() (p pipes, err error) {
	if p.childIn, p.in, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.out, p.childOut, err = os.Pipe(); err != nil {
		return p, errors.Join(err, p.childIn.Close(), p.in.Close())
	}
	return p, nil
}

// ownControl is our end of the control channel.
type ownControl struct {
	pipes
	commands *json.Encoder
	events   *json.Decoder
}

var _ Control = (*ownControl)(nil)

// Hear reads the next event. It fails at the end of the file, or at a line that a kill cut short.
func (c *ownControl) Hear() (e protocol.Event, err error) {
	err = c.events.Decode(&e)
	return e, err
}

// Tell writes a command. It can't block: a pipe holds thousands of commands.
func (c *ownControl) Tell(command protocol.Command) error { return c.commands.Encode(command) }

// Close closes our ends.
func (c *ownControl) Close() error { return errors.Join(c.in.Close(), c.out.Close()) }
