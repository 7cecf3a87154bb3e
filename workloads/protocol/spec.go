package workloads

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Subcommand is the name of the hidden subcommand that runs this program as a source or worker (RunProcess).
const Subcommand = "worker"

// The roles of a process.
const (
	roleSource = "source"
	roleWorker = "worker"
)

// spec is what one source or worker is told to be: the first line on its standard input.
type spec struct {
	Name        string        `json:"name"`
	Role        string        `json:"role"`
	Pipeline    string        `json:"pipeline,omitempty"`
	Number      uint16        `json:"number"`
	Incarnation uint32        `json:"incarnation"`
	Run         history.RunID `json:"run"`
	// History is the path of the history file to make.
	History   string        `json:"history"`
	Bootstrap []string      `json:"bootstrap"`
	Dials     harness.Dials `json:"dials"`
	// Input is what a worker reads; Output is what a worker or a source writes, Further what it writes beside.
	Input      string   `json:"input,omitempty"`
	Output     string   `json:"output"`
	Further    []string `json:"further,omitempty"`
	Partitions int      `json:"partitions"`
	Group      string   `json:"group,omitempty"`
	// TransactionalID is the worker's or source's, stable over incarnations.
	TransactionalID string `json:"transactionalID,omitempty"`
	// Options are the pipeline's settings that the experiment changed.
	Options map[string]string `json:"options,omitempty"`
	Shared  harness.Shared    `json:"shared"`
	Load    harness.Load      `json:"load"`
	// First is the first sequence that no earlier incarnation of a source intended: where it goes on, unless its pipeline
	// finds its position another way.
	First uint64 `json:"first,omitempty"`
	// Checkpoint is the path of the file that a source may keep its own position in.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Service is the external service's address: what a worker calls, through a proxy of its own, or what the service
	// listens on after its first life. Effects is the path of the service's store.
	Service string `json:"service,omitempty"`
	Effects string `json:"effects,omitempty"`
	// Count, when not 0, ends the source in order after so many records.
	Count uint64 `json:"count,omitempty"`
}

// id names the incarnation in client ids and file names.
func (s spec) id() string { return fmt.Sprintf("%s.%d", s.Name, s.Incarnation) }

// command is one line on the process's standard input after the spec.
type command struct {
	// ID is answered by an event that has it too, once the command has been obeyed.
	ID uint64 `json:"id"`
	Do string `json:"do"`
	// Phase is what to wait at (arm), after so many passes of it.
	Phase  string `json:"phase,omitempty"`
	Passes uint64 `json:"passes,omitempty"`
	// Within bounds an orderly stop.
	Within time.Duration `json:"within,omitempty"`
}

// The commands.
const (
	doFeed    = "feed"
	doArm     = "arm"
	doRelease = "release"
	doStop    = "stop"
)

// event is one line on the process's standard output.
type event struct {
	Event string `json:"event"`
	// ID is the obeyed command's (event obeyed); Error says why it couldn't be obeyed, or why the process ends.
	ID    uint64 `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	// Partitions are what the worker holds now (event assigned).
	Partitions []int32 `json:"partitions,omitempty"`
	// Phase and Held say where the worker waits, and with how many unfinished records (event waiting).
	Phase string `json:"phase,omitempty"`
	Held  uint64 `json:"held,omitempty"`
	// Address is where the service listens (event ready).
	Address string `json:"address,omitempty"`
	counters
}

// counters say how far a process is (event progress): records intended and acknowledged by a source, outputs confirmed
// to a worker.
type counters struct {
	Intended  uint64 `json:"intended,omitempty"`
	Acked     uint64 `json:"acked,omitempty"`
	Processed uint64 `json:"processed,omitempty"`
}

// The events.
const (
	evReady    = "ready"
	evAssigned = "assigned"
	evProgress = "progress"
	evWaiting  = "waiting"
	evObeyed   = "obeyed"
	evDone     = "done"
	evError    = "error"
)

// teller writes events, one line each, from any goroutine.
type teller struct {
	mu  sync.Mutex
	out *json.Encoder
}

func newTeller(out io.Writer) *teller { return &teller{out: json.NewEncoder(out)} }

// tell drops what can't be written: when the harness no longer listens, end of file on standard input ends the process.
func (t *teller) tell(e event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.out.Encode(e)
}
