package member

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

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

// refusals are the answers to a request to end a transaction that prove that the request did not end it. The transaction
// coordinator gives them from its checks, before it writes anything (Kafka 4.x, TransactionCoordinator.endTransaction and
// endTransactionWithTV1, "preAppendResult"; KafkaApis turns PRODUCER_FENCED into INVALID_PRODUCER_EPOCH for old versions of
// the request, and checks permissions first): another producer has the transactional id, or there is no such producer, or
// there is nothing of this transaction that could be ended. Errors of the write itself (NOT_COORDINATOR,
// COORDINATOR_NOT_AVAILABLE, a timeout) are missing on purpose: what was appended may survive.
var refusals = []error{
	kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.InvalidProducerIDMapping, kerr.InvalidTxnState, kerr.TransactionalIDAuthorizationFailed,
}

// EndOutcome is what the error of a request to end a transaction means, and the error's text. Requests is how many requests
// were written: the client sends a lost one again (kgo.Client.EndTransaction), and the one before a refusal may have ended
// the transaction, so only the answer to a single request proves anything. A session whose offsets are refused sends an abort
// (kgo.GroupTransactSession.End), and returns that refusal: then no commit was asked for at all.
func EndOutcome(err error, requests int) (history.Outcome, string) {
	if err == nil {
		return history.OutcomeConfirmed, ""
	}
	refused := func(r error) bool { return errors.Is(err, r) }
	if requests == 1 && slices.ContainsFunc(refusals, refused) || requests == 0 && refused(kerr.OperationNotAttempted) {
		return history.OutcomeFailed, err.Error()
	}
	return history.OutcomeUnknown, err.Error()
}

// EndRequests counts the requests to end transactions that a client writes: it is a hook of the client.
type EndRequests struct{ n atomic.Int32 }

var _ kgo.HookBrokerWrite = (*EndRequests)(nil)

// OnBrokerWrite counts an attempt; one that failed may have been written in part, or whole.
func (e *EndRequests) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == int16(kmsg.EndTxn) {
		e.n.Add(1)
	}
}

// Reset begins to count again, before a transaction is ended.
func (e *EndRequests) Reset() { e.n.Store(0) }

// Written is how many were written since.
func (e *EndRequests) Written() int { return int(e.n.Load()) }
