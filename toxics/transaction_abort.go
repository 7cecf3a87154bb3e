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
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var transactionAbortKind = kit.Kind{
	Name: "transaction-abort",
	About: "aborts the transactions that are open in partitions by writing the markers itself, past their coordinator: what " +
		"kafka-transactions.sh does to a hanging one",
	Hits: target.Partitions,
	Options: []options.Info{
		{Name: "older", About: "only transactions whose producer has written nothing for so long, 0s to 1h; 0s unless given"},
		{Name: "within", About: "how long to wait for such a transaction, 100ms to 2m; 10s unless given"},
	},
	Make: newTransactionAbort,
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
	admin.TopicPartition
	producer    int64
	epoch       int16
	coordinator int32
	start       int64
}

func (t transactionAbort) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.within, fmt.Errorf("not within %s", t.within))
	defer cancel()
	open, err := t.await(ctx, f, on)
	if err != nil {
		return on.Injection, err
	}
	on.InFlight = inject.InFlight(f) // of the abort, not of the wait
	var aborted []openTransaction
	for _, txn := range open {
		err := abort(ctx, f, on.View, txn)
		if errors.Is(err, kerr.InvalidProducerEpoch) || errors.Is(err, kerr.TransactionCoordinatorFenced) {
			continue // it ended meanwhile
		}
		if err != nil {
			return on.Injection, err
		}
		aborted = append(aborted, txn)
		on.Lasts(harness.Lasting{What: harness.TransactionAborted, Topic: txn.Topic, Partition: txn.Partition, From: txn.start})
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return abortProof(on.View, aborted, l) }
	}
	on.Began(ctx, on.View, on.View.Nodes)
	return on.Injection, nil
}

// await waits until a transaction is open in one of the places.
func (t transactionAbort) await(ctx context.Context, f *harness.Field, on kit.OnPartitions) ([]openTransaction, error) {
	var open []openTransaction
	var last error
	err := wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		open = nil
		for _, p := range on.Partitions {
			some, err := t.openIn(ctx, f, on.View, p)
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
func (t transactionAbort) openIn(ctx context.Context, f *harness.Field, v target.View, p admin.TopicPartition) ([]openTransaction, error) {
	req := kmsg.NewPtrDescribeProducersRequest()
	topic := kmsg.NewDescribeProducersRequestTopic()
	topic.Topic, topic.Partitions = p.Topic, []int32{p.Partition}
	req.Topics = append(req.Topics, topic)
	resp, err := admin.AskLeader[*kmsg.DescribeProducersResponse](ctx, f, v.Leader(p), req)
	if err != nil {
		return nil, fmt.Errorf("producers of %s: %w", p, err)
	}
	var open []openTransaction
	for _, topic := range resp.Topics {
		for _, part := range topic.Partitions {
			if err := admin.CodeError(part.ErrorCode, part.ErrorMessage); err != nil {
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
func abort(ctx context.Context, f *harness.Field, v target.View, txn openTransaction) error {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	marker, topic := kmsg.NewWriteTxnMarkersRequestMarker(), kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	topic.Topic, topic.Partitions = txn.Topic, []int32{txn.Partition}
	marker.ProducerID, marker.ProducerEpoch, marker.CoordinatorEpoch = txn.producer, txn.epoch, txn.coordinator
	marker.Topics = append(marker.Topics, topic)
	req.Markers = append(req.Markers, marker)
	resp, err := admin.AskLeader[*kmsg.WriteTxnMarkersResponse](ctx, f, v.Leader(txn.TopicPartition), req)
	if err != nil {
		return fmt.Errorf("abort the transaction of producer %d in %s: %w", txn.producer, txn.TopicPartition, err)
	}
	for _, m := range resp.Markers {
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return fmt.Errorf("abort the transaction of producer %d in %s: %w", txn.producer, txn.TopicPartition, err)
				}
			}
		}
	}
	return nil
}

func abortProof(v target.View, aborted []openTransaction, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, t := range aborted {
		if v.Concerns(l, t.Topic) {
			texts = append(texts, fmt.Sprintf("transaction of producer %d from offset %d of %s/%d aborted", t.producer, t.start, v.Generic(t.Topic), t.Partition))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no transaction of it was open there")
	}
	return strings.Join(texts, ", "), true
}
