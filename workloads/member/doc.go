// Package member is the inside of a member's process: a source, a worker or the external service. It keeps the control
// channel to the harness, and holds what all three share: the history, the phases, the client options of a run.
package member
