package ask

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CoordinatorKind is what a coordinator coordinates (Kafka, FindCoordinatorRequest).
type CoordinatorKind int8

// The kinds of coordinators. Share groups have a group's.
const (
	GroupCoordinator       CoordinatorKind = 0
	TransactionCoordinator CoordinatorKind = 1
)

// Coordinator asks the nodes in turn for the coordinator of a group or of a transactional id.
func (b Brokers) Coordinator(ctx context.Context, kind CoordinatorKind, key string) (int, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKey, req.CoordinatorKeys = int8(kind), key, []string{key}
	coordinator := -1
	_, err := firstThat(ctx, b, req, func(node int, resp *kmsg.FindCoordinatorResponse) error {
		code, message, found := resp.ErrorCode, resp.ErrorMessage, resp.NodeID
		if len(resp.Coordinators) > 0 { // from version 4 on
			c := resp.Coordinators[0]
			code, message, found = c.ErrorCode, c.ErrorMessage, c.NodeID
		}
		coordinator = int(found)
		return b.refused(node, req, key, code, message)
	})
	if err != nil {
		return -1, err
	}
	return coordinator, nil
}

// Coordinated sends a request about a group to its coordinator, looked up again each time: it may have moved.
func Coordinated[R kmsg.Response](ctx context.Context, b Brokers, group string, req kmsg.Request) (R, int, error) {
	node, err := b.Coordinator(ctx, GroupCoordinator, group)
	if err != nil {
		var none R
		return none, node, err
	}
	resp, err := One[R](ctx, b, node, req)
	return resp, node, err
}

// errUnknownGroup is the answer of a coordinator that lists groups without the one that was asked about.
var errUnknownGroup = errors.New("its coordinator does not know the group; no member has joined it and nothing was committed for it yet")

// GroupState is Kafka's word for a group's state ("Empty"), of the classic protocol or of KIP-848.
func (b Brokers) GroupState(ctx context.Context, group string) (string, error) {
	req := kmsg.NewPtrListGroupsRequest()
	resp, node, err := Coordinated[*kmsg.ListGroupsResponse](ctx, b, group, req)
	if err != nil {
		return "", err
	}
	if err := b.refused(node, req, "", resp.ErrorCode, nil); err != nil {
		return "", err
	}
	for _, g := range resp.Groups {
		if g.Group == group {
			return g.GroupState, nil
		}
	}
	return "", b.failed(node, req, group, errUnknownGroup)
}

// Groups lists the groups that any node coordinates, sorted. It fails only when no node answers.
func (b Brokers) Groups(ctx context.Context) ([]string, error) {
	answers, err := answered(All[*kmsg.ListGroupsResponse](ctx, b, func() kmsg.Request { return kmsg.NewPtrListGroupsRequest() }))
	if err != nil {
		return nil, err
	}
	var groups []string
	for _, a := range answers {
		for _, g := range a.Response.Groups {
			groups = append(groups, g.Group)
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups), nil
}

// noneCommitted is where a group that never was stands in each partition.
func noneCommitted(partitions []TopicPartition) map[TopicPartition]int64 {
	none := map[TopicPartition]int64{}
	for _, tp := range partitions {
		none[tp] = -1
	}
	return none
}

func isUnknownGroup(err error) bool { return errors.Is(err, kerr.GroupIDNotFound) }
