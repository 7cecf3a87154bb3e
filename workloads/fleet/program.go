package fleet

import (
	"os"

	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Program starts a member's processes. Each process, or its Control for it, writes the history file that the
// specification names.
type Program interface {
	// Start starts the process of one incarnation, as a child of this process (procs.Start). What it prints goes to log.
	Start(s protocol.Spec, log *os.File) (*procs.Process, Control, error)
}

// Control is how the fleet talks with one process of a member.
type Control interface {
	// Hear returns the next event. It returns an error once there are no more: the process ends then, or has ended.
	Hear() (protocol.Event, error)
	// Tell sends a command without waiting. An Obeyed event with the command's id answers it; its Error says why a command
	// means nothing for this process.
	Tell(protocol.Command) error
	// Close frees what is left, once the process has ended and Hear has failed.
	Close() error
}
