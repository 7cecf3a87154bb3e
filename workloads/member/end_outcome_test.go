package member_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
)

// TestEndOutcome: only the answer to a single request proves that it did not end the transaction, and only some answers do.
func TestEndOutcome(t *testing.T) {
	for _, c := range []struct {
		err      error
		requests int
		want     history.Outcome
	}{
		{nil, 1, history.OutcomeConfirmed},
		{nil, 3, history.OutcomeConfirmed},
		{kerr.ProducerFenced, 1, history.OutcomeFailed},
		{fmt.Errorf("ending: %w", kerr.InvalidProducerEpoch), 1, history.OutcomeFailed},
		{kerr.InvalidProducerIDMapping, 1, history.OutcomeFailed},
		{kerr.InvalidTxnState, 1, history.OutcomeFailed},
		{kerr.TransactionalIDAuthorizationFailed, 1, history.OutcomeFailed},
		{kerr.ProducerFenced, 2, history.OutcomeUnknown},
		{kerr.ProducerFenced, 0, history.OutcomeUnknown},
		{kerr.OperationNotAttempted, 0, history.OutcomeFailed},
		{kerr.OperationNotAttempted, 1, history.OutcomeUnknown},
		{kerr.NotCoordinator, 1, history.OutcomeUnknown},
		{kerr.CoordinatorNotAvailable, 1, history.OutcomeUnknown},
		{kerr.CoordinatorLoadInProgress, 1, history.OutcomeUnknown},
		{kerr.UnknownServerError, 1, history.OutcomeUnknown},
		{kerr.RequestTimedOut, 1, history.OutcomeUnknown},
		{context.DeadlineExceeded, 1, history.OutcomeUnknown},
	} {
		got, reason := member.EndOutcome(c.err, c.requests)
		require.Equal(t, c.want, got, "%v after %d requests", c.err, c.requests)
		require.Equal(t, c.err != nil, reason != "")
	}
}
