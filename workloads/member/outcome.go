package workloads

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// rejections are what proves that a record was never stored, whatever became of earlier attempts to send it: each
// depends on the record alone, so every attempt met it before the append. Anything that an earlier attempt may have
// escaped (not enough replicas, not the leader, no permission any more) is missing here on purpose, because the client
// retries and tells only of the last attempt.
var rejections = []error{
	kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.InvalidTimestamp,
	kerr.InvalidTopicException, kerr.InvalidRequiredAcks, kerr.UnsupportedForMessageFormat,
	kgo.ErrMaxBuffered, // refused by the client before it took the record
}

// produceOutcome says what a produce promise's error means. A timeout, a cancelled context, a closed client and a lost
// connection leave the record's fate unknown: a request that holds it may have been written.
func produceOutcome(err error) (history.Outcome, string) {
	if err == nil {
		return history.OutcomeConfirmed, ""
	}
	for _, r := range rejections {
		if errors.Is(err, r) {
			return history.OutcomeFailed, err.Error()
		}
	}
	return history.OutcomeUnknown, err.Error()
}

// commitOutcome says what an offset commit's error means. A refusal proves nothing: the client retries lost commits,
// and the one before the refusal may have been applied.
func commitOutcome(err error) (history.Outcome, string) {
	if err == nil {
		return history.OutcomeConfirmed, ""
	}
	return history.OutcomeUnknown, err.Error()
}
