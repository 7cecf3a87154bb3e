package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// AwaitEmpty waits until a group has no member.
func AwaitEmpty(ctx context.Context, f *harness.Field, group string) error {
	var missing error
	err := wait.Poll(ctx, PollEvery, func() (bool, error) {
		var state string
		if state, missing = groupState(ctx, f, group); missing == nil && state != "Empty" {
			missing = fmt.Errorf("it is %s: stop its members first (worker-stop or worker-kill of all workers)", state)
		}
		return missing == nil, nil
	})
	if err != nil {
		return fmt.Errorf("group %s is not empty: %w (%w)", group, missing, context.Cause(ctx))
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
