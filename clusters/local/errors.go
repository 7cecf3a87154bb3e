package local

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// errStale is harness.ErrStale of a cluster whose keeper is gone.
var errStale = fmt.Errorf("%w: its keeper no longer runs", harness.ErrStale)

// MissingToolError is the error if this machine lacks a program, or has one too old, with the command that installs it.
type MissingToolError struct {
	Tool    string // "a Java runtime, 17 or newer"
	Reason  string // what was found instead
	Install string // a command to type
}

func (e *MissingToolError) Error() string {
	return fmt.Sprintf("%s is needed: %s (install it with: %s)", e.Tool, e.Reason, e.Install)
}

// FetchError is the error if Kafka's jars could not be fetched.
type FetchError struct {
	Version  string
	Artefact string // group:name:version of what could not be fetched
	// Missing reports whether the artefact does not exist, so that another try would not help.
	Missing bool
	Detail  string // what Maven said, without addresses
}

func (e *FetchError) Error() string {
	if e.Missing {
		return fmt.Sprintf("Kafka %s: there is no artefact %s (is the version right? a Kafka directory can be given with --kafka-home)",
			e.Version, e.Artefact)
	}
	return fmt.Sprintf("Kafka %s: could not fetch %s: %s (try again, or give a Kafka directory with --kafka-home)",
		e.Version, e.Artefact, e.Detail)
}

// StartError is the error if a broker ended, or was not ready in time, while the cluster was starting.
type StartError struct {
	Node int    `json:"node,omitempty"` // 0 if it is not about a single node
	Why  string `json:"why"`
	Log  string `json:"log,omitempty"`
	// Tail are the last lines of Log, because the file may be removed with the cluster.
	Tail []string `json:"tail,omitempty"`
}

func (e *StartError) Error() string {
	var b strings.Builder
	b.WriteString("start the cluster: ")
	if e.Node != 0 {
		fmt.Fprintf(&b, "broker %d ", e.Node)
	}
	b.WriteString(e.Why)
	if e.Log != "" {
		fmt.Fprintf(&b, "\nthe end of %s:\n  %s", e.Log, strings.Join(e.Tail, "\n  "))
	}
	return b.String()
}
