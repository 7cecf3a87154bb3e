package triggers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
)

var endTxnKind = Kind{
	Name: "end-txn",
	About: "a worker is about to ask for the end of its Nth transaction: offsets and outputs are in it, EndTxn is its next " +
		"request; it waits there until the fault is injected",
	Value:   "which transaction, counted from when the trigger was armed: 1 is the next",
	Sign:    "N",
	Options: workerOptions[1:],
	make: func(r *options.Reader) trigger {
		p := readWorker(r)
		p.nth, p.text = count(r, "end-txn", 1, 1), "EndTxn"
		return endTxn{p}
	},
}

// endTxn is the last phase before the end of a transaction.
type endTxn struct{ phase }

// lastBeforeEnd are the phases after which EndTxn is the next request, the later ones first.
var lastBeforeEnd = []string{"offsets-sent", "committing"}

func (e endTxn) validate(s harness.Scope) (harness.Trigger, error) {
	if e.partition >= int32(s.Partitions) {
		return nil, wrong("partition", "partitions go from 0 to %d", s.Partitions-1)
	}
	return e.phase.validateWhere(s, lastPhase)
}

func lastPhase(info harness.PipelineInfo) string {
	for _, phase := range lastBeforeEnd {
		if info.Transactional && slices.Contains(info.Phases, phase) {
			return phase
		}
	}
	return ""
}

var transactionOpenKind = Kind{
	Name: "transaction-open",
	About: "a worker has a transaction open with all its outputs stored, and the coordinator calls it ongoing; it waits there until " +
		"the fault is injected",
	Value:   "the transactional pipeline",
	Sign:    "PIPELINE",
	Options: []options.Info{workerOptions[0], workerOptions[2]},
	make: func(r *options.Reader) trigger {
		p := readWorker(r)
		p.of, p.text, p.seen = []string{r.Word("transaction-open")}, "open transaction", describeTransaction
		return openTransaction{p}
	},
}

// openTransaction is the phase flushed of a transactional pipeline, with the coordinator's word for it.
type openTransaction struct{ phase }

func (o openTransaction) validate(s harness.Scope) (harness.Trigger, error) {
	if o.partition >= int32(s.Partitions) {
		return nil, wrong("partition", "partitions go from 0 to %d", s.Partitions-1)
	}
	t, err := o.phase.validateWhere(s, func(info harness.PipelineInfo) string {
		if info.Transactional && slices.Contains(info.Phases, "flushed") {
			return "flushed"
		}
		return ""
	})
	var option *OptionError
	if errors.As(err, &option) {
		option.Option = o.option // the pipeline is the trigger's own value
	}
	return t, err
}

// describeTransaction asks the coordinator for the worker's transaction, which must be ongoing.
func describeTransaction(ctx context.Context, f *harness.Field, m harness.Member) (string, error) {
	l, err := f.Plan.Pipeline(m.Pipeline)
	if err != nil || m.Number >= len(l.TransactionalIDs) {
		return "", fmt.Errorf("worker %d of %s has no transactional id", m.Number, m.Pipeline)
	}
	t, err := askTransaction(ctx, f, l.TransactionalIDs[m.Number])
	if err != nil {
		return "", err
	}
	if t.State != ask.Ongoing {
		return "", fmt.Errorf("its transaction %s is %s", t.TransactionalID, t.State)
	}
	return fmt.Sprintf("its transaction is %s (producer id %d, epoch %d)", t.State, t.ProducerID, t.ProducerEpoch), nil
}

const (
	// describedWithin is how long a coordinator may take to answer: another fault may have it move.
	describedWithin = 10 * time.Second
	describeEvery   = 100 * time.Millisecond
)

func askTransaction(ctx context.Context, f *harness.Field, id string) (t ask.Transaction, err error) {
	ctx, cancel := context.WithTimeout(ctx, describedWithin)
	defer cancel()
	late := wait.Poll(ctx, describeEvery, func() (bool, error) {
		t, err = f.Brokers().Transaction(ctx, id)
		return err == nil || errors.Is(err, kerr.TransactionalIDNotFound), nil
	})
	if late != nil {
		return t, fmt.Errorf("no coordinator describes it within %s: %w", describedWithin, err)
	}
	return t, err
}
