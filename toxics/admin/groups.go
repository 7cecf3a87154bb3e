package admin

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// AwaitEmpty waits until a group has no member.
func AwaitEmpty(ctx context.Context, f *harness.Field, group string) error {
	err := Until(ctx, func() error {
		state, err := f.Brokers().GroupState(ctx, group)
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
