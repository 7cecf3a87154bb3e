package toxics

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
)

var transactionAbortKind = Kind{
	Name: "transaction-abort",
	About: "aborts the transactions that are open in partitions by writing the markers itself, past their coordinator: what " +
		"kafka-transactions.sh does to a hanging one",
	Hits: Partitions,
	Options: []options.Info{
		{Name: "older", About: "only transactions whose producer has written nothing for so long, 0s to 1h; 0s unless given"},
		{Name: "within", About: "how long to wait for such a transaction, 100ms to 2m; 10s unless given"},
	},
	make: newTransactionAbort,
}

// transactionAbort is a remedy for hanging transactions, and a hazard for live ones: their coordinator does not know.
type transactionAbort struct{ older, within time.Duration }

var _ harness.Fault = transactionAbort{}

func newTransactionAbort(r *options.Reader) harness.Fault {
	return transactionAbort{
		r.Duration("older", 0, 0, time.Hour), r.Duration("within", 10*time.Second, 100*time.Millisecond, 2*time.Minute),
	}
}

func (transactionAbort) Needs() []string { return nil }

func (t transactionAbort) String() string {
	if t.older == 0 {
		return ""
	}
	return fmt.Sprintf("silent for %s", t.older)
}

// openTransaction is one that is open in one partition.
type openTransaction struct {
	place
	producer    int64
	epoch       int16
	coordinator int32
	start       int64
}

func (t transactionAbort) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.within, fmt.Errorf("not within %s", t.within))
	defer cancel()
	open, err := t.await(ctx, f, on)
	if err != nil {
		return on.i, err
	}
	on.i.inFlight = inFlight(f) // of the abort, not of the wait
	var aborted []openTransaction
	for _, txn := range open {
		err := abort(ctx, f, on.view, txn)
		if errors.Is(err, kerr.InvalidProducerEpoch) || errors.Is(err, kerr.TransactionCoordinatorFenced) {
			continue // it ended meanwhile
		}
		if err != nil {
			return on.i, err
		}
		aborted = append(aborted, txn)
		on.i.lasts(harness.Lasting{What: harness.TransactionAborted, Topic: txn.topic, Partition: txn.partition, From: txn.start})
	}
	on.i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return abortProof(on.view, aborted, l) }
	}
	on.i.began(ctx, on.view, on.view.nodes)
	return on.i, nil
}

// await waits until a transaction is open in one of the places.
func (t transactionAbort) await(ctx context.Context, f *harness.Field, on onPlaces) ([]openTransaction, error) {
	var open []openTransaction
	var last error
	err := wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		open = nil
		for _, p := range on.places {
			some, err := t.openIn(ctx, f, on.view, p)
			if last = err; err != nil {
				return false, nil
			}
			open = append(open, some...)
		}
		return len(open) > 0, nil
	})
	if err != nil {
		return nil, fmt.Errorf("no such transaction is open: %w", errors.Join(last, context.Cause(ctx)))
	}
	return open, nil
}

// openIn asks a partition's leader for the transactions that are open in it.
func (t transactionAbort) openIn(ctx context.Context, f *harness.Field, v view, p place) ([]openTransaction, error) {
	req := kmsg.NewPtrDescribeProducersRequest()
	topic := kmsg.NewDescribeProducersRequestTopic()
	topic.Topic, topic.Partitions = p.topic, []int32{p.partition}
	req.Topics = append(req.Topics, topic)
	resp, err := askLeader[*kmsg.DescribeProducersResponse](ctx, f, v.leader(p), req)
	if err != nil {
		return nil, fmt.Errorf("producers of %s: %w", p, err)
	}
	var open []openTransaction
	for _, topic := range resp.Topics {
		for _, part := range topic.Partitions {
			if err := codeError(part.ErrorCode, part.ErrorMessage); err != nil {
				return nil, fmt.Errorf("producers of %s: %w", p, err)
			}
			for _, a := range part.ActiveProducers {
				if a.CurrentTxnStartOffset >= 0 && time.Since(time.UnixMilli(a.LastTimestamp)) >= t.older {
					open = append(open, openTransaction{p, a.ProducerID, int16(a.ProducerEpoch), max(0, a.CoordinatorEpoch), a.CurrentTxnStartOffset})
				}
			}
		}
	}
	return open, nil
}

// abort writes an abort marker into one partition.
func abort(ctx context.Context, f *harness.Field, v view, txn openTransaction) error {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	marker, topic := kmsg.NewWriteTxnMarkersRequestMarker(), kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	topic.Topic, topic.Partitions = txn.topic, []int32{txn.partition}
	marker.ProducerID, marker.ProducerEpoch, marker.CoordinatorEpoch = txn.producer, txn.epoch, txn.coordinator
	marker.Topics = append(marker.Topics, topic)
	req.Markers = append(req.Markers, marker)
	resp, err := askLeader[*kmsg.WriteTxnMarkersResponse](ctx, f, v.leader(txn.place), req)
	if err != nil {
		return fmt.Errorf("abort the transaction of producer %d in %s: %w", txn.producer, txn.place, err)
	}
	for _, m := range resp.Markers {
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return fmt.Errorf("abort the transaction of producer %d in %s: %w", txn.producer, txn.place, err)
				}
			}
		}
	}
	return nil
}

func abortProof(v view, aborted []openTransaction, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, t := range aborted {
		if v.concerns(l, t.topic) {
			texts = append(texts, fmt.Sprintf("transaction of producer %d from offset %d of %s/%d aborted", t.producer, t.start, v.generic(t.topic), t.partition))
		}
	}
	if len(texts) == 0 {
		return notTouched("no transaction of it was open there")
	}
	return strings.Join(texts, ", "), true
}
