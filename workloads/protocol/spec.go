package protocol

import (
	"fmt"
	"strconv"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Subcommand is the name of the hidden subcommand that runs this program as a member.
const Subcommand = "worker"

// The roles of a process.
const (
	RoleSource  = "source"
	RoleWorker  = "worker"
	RoleService = "service"
)

// ServiceName is the external service's name as a member of the fleet.
const ServiceName = "service"

// Spec tells a process what to be. It is the first line on its standard input.
type Spec struct {
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
	// Input is the topic that a worker reads. Output is the topic that a worker or source writes; Further are its other
	// output topics.
	Input      string   `json:"input,omitempty"`
	Output     string   `json:"output"`
	Further    []string `json:"further,omitempty"`
	Partitions int      `json:"partitions"`
	Group      string   `json:"group,omitempty"`
	// TransactionalID stays the same over incarnations.
	TransactionalID string `json:"transactionalID,omitempty"`
	// Options are the pipeline's options that the experiment sets. Inside the process the pipeline's defaults are added.
	Options map[string]string `json:"options,omitempty"`
	Shared  harness.Shared    `json:"shared"`
	Load    harness.Load      `json:"load"`
	// First is the first sequence that no earlier incarnation of a source intended. A source starts there, unless its
	// pipeline finds its place another way.
	First uint64 `json:"first,omitempty"`
	// Checkpoint is the path of the file in which a source may keep its place.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Service is the external service's address: for a worker the one to call, for the service itself the one to listen
	// on ("": any free port). Effects is the path of the service's store.
	Service string `json:"service,omitempty"`
	Effects string `json:"effects,omitempty"`
	// Count is the number of records after which a source ends in order; 0: it goes on until it is stopped.
	Count uint64 `json:"count,omitempty"`
}

// ID names the incarnation in client ids and file names.
func (s Spec) ID() string { return fmt.Sprintf("%s.%d", s.Name, s.Incarnation) }

// Option is the value of a pipeline's option, "" if it has no such option.
func (s Spec) Option(name string) string { return s.Options[name] }

// Duration is the value of an option that is a duration. Values are checked before a run starts.
func (s Spec) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.Option(name))
	return d
}

// Share is the value of an option that is a share from 0 to 1. Values are checked before a run starts.
func (s Spec) Share(name string) float64 {
	x, _ := strconv.ParseFloat(s.Option(name), 64)
	return x
}
