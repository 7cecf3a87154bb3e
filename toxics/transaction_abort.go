package toxics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var transactionAbortKind = kit.Kind{
	Name: "transaction-abort",
	About: "aborts the transactions that are open in partitions by writing abort markers past their coordinator, as " +
		"kafka-transactions.sh does with a hanging one",
	Hits: target.Partitions,
	Options: []options.Info{
		{Name: "older", About: "only transactions whose producer has written nothing for this long, 0s to 1h; default 0s"},
		{Name: "within", About: "how long to wait for such a transaction, 100ms to 2m; default 10s"},
	},
	Make: newTransactionAbort,
}

// transactionAbort is a remedy for hanging transactions and a hazard for live ones: their coordinator does not know.
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
	var aborted []ask.OpenTransaction
	for _, txn := range open {
		err := abort(ctx, f, on.View, txn)
		if errors.Is(err, kerr.InvalidProducerEpoch) || errors.Is(err, kerr.TransactionCoordinatorFenced) {
			continue // it ended meanwhile
		}
		if err != nil {
			return on.Injection, err
		}
		aborted = append(aborted, txn)
		on.Lasts(harness.Lasting{What: harness.TransactionAborted, Topic: txn.Topic, Partition: txn.Partition, From: txn.Start})
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return abortProof(on.View, aborted, l) }
	}
	on.Began(ctx, on.View, on.View.Nodes)
	return on.Injection, nil
}

// await waits until a transaction is open in one of the partitions.
func (t transactionAbort) await(ctx context.Context, f *harness.Field, on kit.OnPartitions) ([]ask.OpenTransaction, error) {
	var open []ask.OpenTransaction
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

// openIn asks a partition's leader for the transactions that are open in it, and keeps those that are old enough.
func (t transactionAbort) openIn(ctx context.Context, f *harness.Field, v target.View, p ask.TopicPartition) ([]ask.OpenTransaction, error) {
	leader := v.Leader(p)
	if leader < 0 {
		return nil, fmt.Errorf("producers of %s: %w", p, admin.ErrNoLeader)
	}
	open, err := f.Brokers().OpenTransactions(ctx, leader, p)
	return slices.DeleteFunc(open, func(txn ask.OpenTransaction) bool {
		return time.Since(time.UnixMilli(txn.LastTimestamp)) < t.older
	}), err
}

// abort writes an abort marker into one partition.
func abort(ctx context.Context, f *harness.Field, v target.View, txn ask.OpenTransaction) error {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	marker, topic := kmsg.NewWriteTxnMarkersRequestMarker(), kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	topic.Topic, topic.Partitions = txn.Topic, []int32{txn.Partition}
	marker.ProducerID, marker.ProducerEpoch, marker.CoordinatorEpoch = txn.ProducerID, int16(txn.ProducerEpoch), max(0, txn.CoordinatorEpoch)
	marker.Topics = append(marker.Topics, topic)
	req.Markers = append(req.Markers, marker)
	resp, err := admin.AskLeader[*kmsg.WriteTxnMarkersResponse](ctx, f, v.Leader(txn.TopicPartition), req)
	if err != nil {
		return fmt.Errorf("abort the transaction of producer %d in %s: %w", txn.ProducerID, txn.TopicPartition, err)
	}
	for _, m := range resp.Markers {
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return fmt.Errorf("abort the transaction of producer %d in %s: %w", txn.ProducerID, txn.TopicPartition, err)
				}
			}
		}
	}
	return nil
}

func abortProof(v target.View, aborted []ask.OpenTransaction, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, t := range aborted {
		if v.Concerns(l, t.Topic) {
			texts = append(texts, fmt.Sprintf("transaction of producer %d from offset %d of %s/%d aborted", t.ProducerID, t.Start, v.Generic(t.Topic), t.Partition))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no transaction of it was open there")
	}
	return strings.Join(texts, ", "), true
}
