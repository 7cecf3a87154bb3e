package member

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

func TestOutcomesAreUnknownUnlessProved(t *testing.T) {
	for want, errs := range map[history.Outcome][]error{
		history.OutcomeConfirmed: {nil},
		history.OutcomeFailed:    {kerr.MessageTooLarge, kerr.InvalidRecord, kgo.ErrMaxBuffered},
		history.OutcomeUnknown: {
			kerr.NotEnoughReplicasAfterAppend, kerr.RequestTimedOut, kerr.NotEnoughReplicas, kerr.NotLeaderForPartition,
			context.Canceled, context.DeadlineExceeded, kgo.ErrClientClosed, kgo.ErrRecordTimeout, kgo.ErrRecordRetries,
			kgo.ErrAborting, kerr.ProducerFenced, kerr.TopicAuthorizationFailed, kerr.UnknownServerError,
		},
	} {
		for _, err := range errs {
			got, _ := ProduceOutcome(err)
			require.Equal(t, want, got, "%v", err)
		}
	}
}
