package member

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// SessionError means that only a new client can go on.
type SessionError struct{ Cause error }

func (e *SessionError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *SessionError) Unwrap() error { return e.Cause }

// NewTransactionalID makes a transactional id that no other incarnation has.
func NewTransactionalID(s protocol.Spec) string {
	return harness.CoordinatedID(fmt.Sprintf("%s-%d-%x", s.TransactionalID, s.Incarnation, history.Now()))
}
