package member

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/chaeos/chaeos/workloads/protocol"
)

var (
	// ErrOrphaned ends a process whose harness is gone.
	ErrOrphaned  = errors.New("the harness is gone: end of file on standard input")
	errOutOfTime = errors.New("out of time to end in order")
)

// listen obeys commands until there are no more, which means that the harness is gone.
func (c *control) listen(commands *json.Decoder) error {
	for {
		var command protocol.Command
		if err := commands.Decode(&command); errors.Is(err, io.EOF) {
			return ErrOrphaned
		} else if err != nil {
			return fmt.Errorf("command: %w", err)
		}
		answer := protocol.Event{Event: protocol.Obeyed, ID: command.ID}
		if err := c.obey(command); err != nil {
			answer.Error = err.Error()
		}
		c.Tell.Tell(answer)
	}
}

func (c *control) obey(command protocol.Command) error {
	switch command.Do {
	case protocol.Feed:
		c.feed()
	case protocol.Arm:
		return c.Gates.Arm(command.Phase, command.Passes, c.program.Phases)
	case protocol.Release:
		c.Gates.Disarm()
	case protocol.Stop:
		c.stop()
		c.Gates.Disarm()
		time.AfterFunc(command.Within, func() { c.end(errOutOfTime) })
	default:
		return fmt.Errorf("unknown command %q", command.Do)
	}
	return nil
}
