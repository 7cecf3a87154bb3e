package admin

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// What FindCoordinator can be asked for: the coordinator of a group, or of a transactional id.
const (
	GroupKey       = int8(0)
	TransactionKey = int8(1)
)

// Coordinator asks the nodes in turn for the coordinator of a group or transactional id; kind is GroupKey or TransactionKey.
func Coordinator(ctx context.Context, client *kgo.Client, nodes []int, kind int8, key string) (int, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKey, req.CoordinatorKeys = kind, key, []string{key}
	kresp, err := harness.AskBrokers(ctx, client, nodes, req)
	if err != nil {
		return 0, err
	}
	resp, ok := kresp.(*kmsg.FindCoordinatorResponse)
	if !ok {
		return 0, fmt.Errorf("coordinator of %s: unexpected answer %T", key, kresp)
	}
	code, node := resp.ErrorCode, resp.NodeID
	if len(resp.Coordinators) > 0 {
		code, node = resp.Coordinators[0].ErrorCode, resp.Coordinators[0].NodeID
	}
	if err := kerr.ErrorForCode(code); err != nil {
		return 0, fmt.Errorf("coordinator of %s: %w", key, err)
	}
	return int(node), nil
}

// AskCoordinator sends a request to a group's coordinator. It asks each time who that is, for it may have moved.
func AskCoordinator[R kmsg.Response](ctx context.Context, f *harness.Field, group string, req kmsg.Request) (R, error) {
	node, err := Coordinator(ctx, f.Admin, f.Cluster.Info().Nodes, GroupKey, group)
	if err != nil {
		var none R
		return none, err
	}
	return AskNodes[R](ctx, f.Admin, []int{node}, req)
}
