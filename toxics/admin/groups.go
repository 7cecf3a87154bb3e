package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// AwaitEmpty waits until a group has no member.
func AwaitEmpty(ctx context.Context, f *harness.Field, group string) error {
	err := Until(ctx, func() error {
		state, err := groupState(ctx, f, group)
		if err == nil && state != "Empty" {
			err = fmt.Errorf("it is %s: stop its members first (worker-stop or worker-kill of all workers)", state)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("group %s is not empty: %w", group, err)
	}
	return nil
}

// groupState asks for a group's state, of the classic protocol or of KIP-848.
func groupState(ctx context.Context, f *harness.Field, group string) (string, error) {
	req := kmsg.NewPtrListGroupsRequest()
	node, err := Coordinator(ctx, f.Admin, f.Cluster.Info().Nodes, GroupKey, group)
	if err != nil {
		return "", err
	}
	resp, err := AskNodes[*kmsg.ListGroupsResponse](ctx, f.Admin, []int{node}, req)
	if err == nil {
		err = CodeError(resp.ErrorCode, nil)
	}
	if err != nil {
		return "", err
	}
	for _, g := range resp.Groups {
		if g.Group == group {
			return g.GroupState, nil
		}
	}
	return "", errors.New("its coordinator does not know it")
}
