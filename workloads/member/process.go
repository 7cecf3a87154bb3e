package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Process is one incarnation of a member: what it has to be, and how its program records, tells and waits.
type Process struct {
	Spec    protocol.Spec
	History *history.Writer
	Gates   *phase.Gates
	Tell    *protocol.Teller
	// Stopping is done when the program must end in order: it takes nothing new and finishes what it holds.
	Stopping context.Context //nolint:containedctx // the process's own state, set by a command
	// Fed is closed when sources may send.
	Fed <-chan struct{}
}

// Program is what a process runs.
type Program struct {
	// Run works until Process.Stopping is done, and then ends in order. When ctx is done there is no more time for that.
	Run func(ctx context.Context) error
	// Counters is its progress. It is called from other goroutines.
	Counters func() protocol.Counters
	// Phases are where it can be made to wait.
	Phases []string
	// Address is where it listens; "": nowhere.
	Address string
}

// Open makes the program that a process's specification asks for.
type Open func(*Process) (Program, error)

// control is the process's side of the control channel.
type control struct {
	Process
	program Program
	feed    func()
	stop    context.CancelFunc
	// end fails whatever still runs.
	end context.CancelCauseFunc
}

// Run is a member's whole life. The first line of in is its specification, the lines after it are commands; events go to
// out. It returns nil if the program ended in order, and an error at once if in ends, because then the harness is gone.
func Run(ctx context.Context, in io.Reader, out io.Writer, open Open) error {
	commands := json.NewDecoder(in)
	fed := make(chan struct{})
	c := &control{Process: Process{Tell: protocol.NewTeller(out), Fed: fed}, feed: sync.OnceFunc(func() { close(fed) })}
	if err := commands.Decode(&c.Spec); err != nil {
		return fmt.Errorf("process specification: %w", err)
	}
	if err := c.run(ctx, commands, open); err != nil {
		c.Tell.Tell(protocol.Event{Event: protocol.Failed, Error: err.Error()})
		return fmt.Errorf("%s: %w", c.Spec.ID(), err)
	}
	c.Tell.Tell(protocol.Event{Event: protocol.Done})
	return nil
}

func (c *control) run(ctx context.Context, commands *json.Decoder, open Open) error {
	ctx, c.end = context.WithCancelCause(ctx)
	defer c.end(nil)
	c.Stopping, c.stop = context.WithCancel(ctx)
	if err := c.prepare(open); err != nil {
		return err
	}
	orphaned, ended := make(chan error, 1), make(chan error, 1)
	go func() { orphaned <- c.listen(commands) }()
	go func() { ended <- c.work(ctx) }()
	c.Tell.Tell(protocol.Event{Event: protocol.Ready, Address: c.program.Address})
	select {
	case err := <-ended:
		return errors.Join(err, c.History.Close())
	case err := <-orphaned:
		return err
	}
}

// prepare creates the history and makes the program.
func (c *control) prepare(open Open) (err error) {
	s := c.Spec
	c.History, err = history.Create(s.History, history.Process{
		Stamp: history.AtNow(), Run: s.Run, Name: s.Name, Role: s.Role, Pipeline: s.Pipeline,
		Number: s.Number, Incarnation: s.Incarnation, Pid: int64(os.Getpid()),
	})
	if err != nil {
		return err
	}
	c.Gates = phase.NewGates(c.waiting)
	c.program, err = open(&c.Process)
	return err
}

// waiting records and tells that the armed phase was reached.
func (c *control) waiting(p history.Phase) error {
	if err := c.History.Write(&p); err != nil {
		return err
	}
	c.Tell.Tell(protocol.Event{Event: protocol.Waiting, Phase: p.Name, Held: p.Held})
	return nil
}

// Record writes history entries in one system call.
func (p *Process) Record(entries ...history.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return p.History.Write(entries...)
}
