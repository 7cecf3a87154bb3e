package workloads

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/phase"
)

// underFault runs two workers, breaks something once they are at work, and returns what came out and every entry of
// both workers.
func underFault(t *testing.T, pipeline string, inject func(*rig)) (lost, doubled int, entries []history.Entry) {
	t.Helper()
	r := newRig(t, 2, harness.Load{Rate: 500, RecordSize: 100}, pipeline)
	r.start()
	r.offer(pipeline, 300)
	inject(r)
	r.offer(pipeline, r.Offered(pipeline)+500)
	r.finish()
	require.Empty(t, r.Incidents())
	lost, doubled = lostAndDoubled(r.counts(pipeline))
	return lost, doubled, append(r.entries(pipeline+"-0"), r.entries(pipeline+"-1")...)
}

func TestRefusedOutputsAreProducedAgainBeforeTheCommit(t *testing.T) {
	t.Parallel()
	lost, doubled, entries := underFault(t, "idempotent", func(r *rig) {
		r.kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out-idempotent", Err: kerr.InvalidRecord, Count: 3})
	})
	require.Zero(t, lost)
	require.Zero(t, doubled)
	failed := 0
	for _, e := range recorded.Of[*history.Outputs](entries) {
		if e.Outcome == history.OutcomeFailed {
			failed++
		}
	}
	require.NotZero(t, failed)
}

func TestRefusedCommitIsUnknownAndCostsNothing(t *testing.T) {
	t.Parallel()
	lost, doubled, entries := underFault(t, "idempotent", func(r *rig) {
		r.kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.OffsetMetadataTooLarge, Count: 3})
	})
	require.Zero(t, lost)
	require.Zero(t, doubled)
	unknown := 0
	for _, e := range recorded.Of[*history.Committed](entries) {
		if e.Outcome == history.OutcomeUnknown {
			require.NotEmpty(t, e.Reason)
			unknown++
		}
	}
	require.NotZero(t, unknown)
}

func TestAbortedTransactionIsProcessedAgain(t *testing.T) {
	t.Parallel()
	lost, doubled, entries := underFault(t, "transactional", func(r *rig) {
		r.kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out-transactional", Err: kerr.InvalidRecord, Count: 3})
	})
	require.Zero(t, lost)
	require.Zero(t, doubled)
	aborted := 0
	for _, e := range recorded.Of[*history.TxnEnded](entries) {
		if e.Outcome == history.OutcomeConfirmed && !e.Commit {
			aborted++
		}
	}
	require.NotZero(t, aborted)
}

// TestUnprovedEndIsUnknown answers ends with an error that proves nothing, which the session retries as an abort and reports as
// a clean one, and with one that refuses the commit, which closes the session. The first is unknown, the second failed.
func TestUnprovedEndIsUnknown(t *testing.T) {
	for _, answer := range []*kerr.Error{kerr.UnknownServerError, kerr.ProducerFenced} {
		t.Run(answer.Message, func(t *testing.T) {
			t.Parallel()
			lost, doubled, entries := underFault(t, "transactional", func(r *rig) {
				r.kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: answer, Count: 2})
			})
			require.Zero(t, lost)
			require.Zero(t, doubled)
			want := map[history.Outcome]int{history.OutcomeUnknown: 2}
			if answer == kerr.ProducerFenced {
				want = map[history.Outcome]int{history.OutcomeFailed: 2} // the one request was refused
			}
			got := map[history.Outcome]int{}
			for _, e := range recorded.Of[*history.TxnEnded](entries) {
				if e.Outcome != history.OutcomeConfirmed {
					require.True(t, e.Commit, "what was asked for")
					require.NotEmpty(t, e.Reason)
					got[e.Outcome]++
				}
			}
			require.Equal(t, want, got)
		})
	}
}

// TestFencedProducerStartsANewSession takes the transactional id away while the worker waits inside its transaction.
func TestFencedProducerStartsANewSession(t *testing.T) {
	t.Parallel()
	lost, doubled, entries := underFault(t, "transactional", func(r *rig) {
		const name = "transactional-0"
		require.NoError(t, r.Arm(soon(t), name, phase.Flushed))
		require.NoError(t, r.Await(soon(t), name))
		req := kmsg.NewPtrInitProducerIDRequest()
		id := "transactional-0"
		req.TransactionalID, req.TransactionTimeoutMillis = &id, 5000
		resp, err := req.RequestWith(soon(t), r.admin)
		require.NoError(t, err)
		require.NoError(t, kerr.ErrorForCode(resp.ErrorCode))
		require.NoError(t, r.Release(soon(t), name))
	})
	require.Zero(t, lost)
	require.Zero(t, doubled)
	refused := 0
	for _, e := range recorded.Of[*history.TxnEnded](entries) {
		require.NotEqual(t, history.OutcomeUnknown, e.Outcome)
		if e.Outcome == history.OutcomeFailed {
			require.True(t, e.Commit)
			require.Contains(t, e.Reason, "PRODUCER_FENCED")
			refused++
		}
	}
	require.Equal(t, 1, refused)
}
