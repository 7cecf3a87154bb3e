package protocol

import "time"

// Command is one line on the process's standard input after its specification.
type Command struct {
	// ID comes back in the Obeyed event that answers the command.
	ID uint64 `json:"id"`
	Do string `json:"do"`
	// Phase is where to wait (Arm), after the process passed it Passes times.
	Phase  string `json:"phase,omitempty"`
	Passes uint64 `json:"passes,omitempty"`
	// Within bounds an orderly stop.
	Within time.Duration `json:"within,omitempty"`
}

// The commands.
const (
	Feed    = "feed"
	Arm     = "arm"
	Release = "release"
	Stop    = "stop"
)

// Event is one line on the process's standard output.
type Event struct {
	Event string `json:"event"`
	// ID is the obeyed command's. Error says why the command could not be obeyed (Obeyed), or why the process ends (Failed).
	ID    uint64 `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	// Partitions are the worker's assigned partitions, all of them (Assigned).
	Partitions []int32 `json:"partitions,omitempty"`
	// Phase is where the worker waits, and Held how many records it has in hand there (Waiting).
	Phase string `json:"phase,omitempty"`
	Held  uint64 `json:"held,omitempty"`
	// Address is where the service listens (Ready).
	Address string `json:"address,omitempty"`
	Counters
}

// Counters are a process's progress: records that a source intended and that were acknowledged to it, outputs that were
// confirmed to a worker.
type Counters struct {
	Intended  uint64 `json:"intended,omitempty"`
	Acked     uint64 `json:"acked,omitempty"`
	Processed uint64 `json:"processed,omitempty"`
}

// The events.
const (
	Ready    = "ready"
	Assigned = "assigned"
	Progress = "progress"
	Waiting  = "waiting"
	Obeyed   = "obeyed"
	Done     = "done"
	Failed   = "error"
)
