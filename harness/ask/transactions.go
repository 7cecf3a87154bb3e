package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Transaction is a transactional id's newest transaction, as its coordinator tells.
type Transaction struct {
	TransactionalID string
	ProducerID      int64
	// ProducerEpoch is -1 where only ListTransactions answered, and StartMillis too.
	ProducerEpoch int16
	// State is Kafka's word for it ("Ongoing").
	State string
	// Coordinator is the node that answered.
	Coordinator int
	// TimeoutMillis is how long the coordinator lets it last, StartMillis when it began, in milliseconds since 1970.
	TimeoutMillis int32
	StartMillis   int64
}

// Ongoing is the state of a transaction that its producer may still write to.
const Ongoing = "Ongoing"

// Transaction asks the nodes in turn for a transactional id's transaction: only its coordinator knows it, and that may have
// moved.
func (b Brokers) Transaction(ctx context.Context, id string) (Transaction, error) {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{id}
	var found Transaction
	_, err := firstThat(ctx, b, req, func(node int, resp *kmsg.DescribeTransactionsResponse) error {
		if len(resp.TransactionStates) != 1 || resp.TransactionStates[0].TransactionalID != id {
			return b.failed(node, req, id, errLeftOut)
		}
		s := resp.TransactionStates[0]
		found = Transaction{id, s.ProducerID, s.ProducerEpoch, s.State, node, s.TimeoutMillis, s.StartTimestamp}
		return b.refused(node, req, id, s.ErrorCode, nil)
	})
	if err != nil {
		return Transaction{}, err
	}
	return found, nil
}

// errUnknownProducer is the answer of brokers that coordinate no transaction of a producer.
var errUnknownProducer = errors.New("it coordinates no transaction of that producer; ask the other brokers")

// TransactionOf asks the nodes in turn for a producer's transaction: a partition's leader knows the producer's id only. With
// an error it returns what was learnt before: the transactional id may be known where its coordinator says no more.
func (b Brokers) TransactionOf(ctx context.Context, producer int64) (Transaction, error) {
	req := kmsg.NewPtrListTransactionsRequest()
	req.ProducerIDFilters = []int64{producer}
	found := Transaction{ProducerID: producer, ProducerEpoch: -1, Coordinator: -1, StartMillis: -1}
	_, err := firstThat(ctx, b, req, func(node int, resp *kmsg.ListTransactionsResponse) error {
		if err := b.refused(node, req, "", resp.ErrorCode, nil); err != nil {
			return err
		}
		for _, s := range resp.TransactionStates {
			if s.ProducerID == producer {
				found.TransactionalID, found.State, found.Coordinator = s.TransactionalID, s.TransactionState, node
				return nil
			}
		}
		return b.failed(node, req, fmt.Sprintf("producer %d", producer), errUnknownProducer)
	})
	if err != nil {
		return found, err
	}
	others := slices.DeleteFunc(slices.Clone(b.nodes), func(node int) bool { return node == found.Coordinator })
	described, err := b.Only(append([]int{found.Coordinator}, others...)...).Transaction(ctx, found.TransactionalID)
	if err != nil {
		return found, err
	}
	return described, nil
}

// TransactionalIDs lists the transactional ids that any node coordinates, sorted. It fails only when no node answers.
func (b Brokers) TransactionalIDs(ctx context.Context) ([]string, error) {
	answers, err := answered(All[*kmsg.ListTransactionsResponse](ctx, b, func() kmsg.Request { return kmsg.NewPtrListTransactionsRequest() }))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, a := range answers {
		for _, s := range a.Response.TransactionStates {
			ids = append(ids, s.TransactionalID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
