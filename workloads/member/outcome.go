package member

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
)

// rejections are the errors that prove that a record was never stored. Each depends on the record alone, so every attempt
// met it before the append. Errors that an earlier attempt may have escaped (not enough replicas, not the leader, no
// permission any more) are missing on purpose: the client retries, and reports the last attempt only.
var rejections = []error{
	kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.InvalidTimestamp,
	kerr.InvalidTopicException, kerr.InvalidRequiredAcks, kerr.UnsupportedForMessageFormat,
	kgo.ErrMaxBuffered, // refused by the client before it took the record
}

// ProduceOutcome is what the error of a produce promise means, and the error's text. A timeout, a cancelled context, a
// closed client and a lost connection leave the outcome unknown: a request that holds the record may have been written.
func ProduceOutcome(err error) (history.Outcome, string) {
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

// CommitOutcome is what the error of an offset commit means, and the error's text. A refusal proves nothing: the client
// retries lost commits, and the one before the refusal may have been applied.
func CommitOutcome(err error) (history.Outcome, string) {
	if err == nil {
		return history.OutcomeConfirmed, ""
	}
	return history.OutcomeUnknown, err.Error()
}
