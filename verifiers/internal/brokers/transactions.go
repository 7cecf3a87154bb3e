package brokers

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/verifiers/observation"
)

// OpenTransactions asks a partition's leader which producers have a transaction open in it.
func OpenTransactions(ctx context.Context, client *kgo.Client, leader int32, tp TP) ([]observation.OpenTxn, error) {
	req := kmsg.NewPtrDescribeProducersRequest()
	t := kmsg.NewDescribeProducersRequestTopic()
	t.Topic, t.Partitions = tp.Topic, []int32{tp.Partition}
	req.Topics = append(req.Topics, t)
	resp, err := client.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("describe producers of %s: %w", tp, err)
	}
	var open []observation.OpenTxn
	for _, t := range resp.(*kmsg.DescribeProducersResponse).Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, fmt.Errorf("describe producers of %s: %w", tp, err)
			}
			for _, a := range p.ActiveProducers {
				if a.CurrentTxnStartOffset >= 0 {
					open = append(open, observation.OpenTxn{
						ProducerID: a.ProducerID, ProducerEpoch: a.ProducerEpoch, Start: a.CurrentTxnStartOffset,
						LastTimestamp: a.LastTimestamp, Coordinator: -1, StartMillis: -1,
					})
				}
			}
		}
	}
	return open, nil
}

// NameTransaction finds the transactional id, state and coordinator of an open transaction's producer. Every node is
// asked: only the coordinator knows it.
func NameTransaction(ctx context.Context, client *kgo.Client, nodes []int, open *observation.OpenTxn) error {
	var last error
	for _, node := range nodes {
		req := kmsg.NewPtrListTransactionsRequest()
		req.ProducerIDFilters = []int64{open.ProducerID}
		resp, err := client.Broker(node).Request(ctx, req)
		if err != nil {
			last = err
			continue
		}
		for _, s := range resp.(*kmsg.ListTransactionsResponse).TransactionStates {
			if s.ProducerID == open.ProducerID {
				open.TransactionalID, open.State, open.Coordinator = s.TransactionalID, s.TransactionState, int32(node)
				return describe(ctx, client, open)
			}
		}
	}
	if last != nil {
		return fmt.Errorf("list transactions of producer %d: %w", open.ProducerID, last)
	}
	return nil
}

// DescribeTransaction asks every node for a transaction's state: only its coordinator knows it, and it may have moved.
func DescribeTransaction(ctx context.Context, client *kgo.Client, nodes []int, id string) (observation.OpenTxn, error) {
	var last error
	for _, node := range nodes {
		req := kmsg.NewPtrDescribeTransactionsRequest()
		req.TransactionalIDs = []string{id}
		resp, err := client.Broker(node).Request(ctx, req)
		if err != nil {
			last = err
			continue
		}
		for _, s := range resp.(*kmsg.DescribeTransactionsResponse).TransactionStates {
			if err := kerr.ErrorForCode(s.ErrorCode); err != nil {
				last = err
				continue
			}
			return observation.OpenTxn{
				ProducerID: s.ProducerID, ProducerEpoch: int32(s.ProducerEpoch), TransactionalID: id, State: s.State,
				Coordinator: int32(node), TimeoutMillis: s.TimeoutMillis, StartMillis: s.StartTimestamp, Start: -1,
			}, nil
		}
	}
	return observation.OpenTxn{}, fmt.Errorf("describe transaction %s: %w", id, last)
}

func describe(ctx context.Context, client *kgo.Client, open *observation.OpenTxn) error {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{open.TransactionalID}
	resp, err := client.Broker(int(open.Coordinator)).Request(ctx, req)
	if err != nil {
		return fmt.Errorf("describe transaction %s: %w", open.TransactionalID, err)
	}
	for _, s := range resp.(*kmsg.DescribeTransactionsResponse).TransactionStates {
		if s.TransactionalID == open.TransactionalID && s.ErrorCode == 0 {
			open.State, open.TimeoutMillis, open.StartMillis = s.State, s.TimeoutMillis, s.StartTimestamp
		}
	}
	return nil
}
