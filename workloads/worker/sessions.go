package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/member"
)

// reopenPause is the wait before a lost session is replaced.
const reopenPause = 200 * time.Millisecond

// inSessions opens a client and works with it until the worker must stop, with a new one each time the session is lost.
func (w *Worker) inSessions(ctx context.Context, open func(context.Context) (*Client, error), do func(context.Context, *Client) error) error {
	for w.Stopping.Err() == nil {
		c, err := open(ctx)
		if err != nil {
			return err
		}
		err = do(ctx, c)
		if herr := c.Close(); herr != nil {
			return errors.Join(err, herr)
		}
		var lost *member.SessionError
		if !errors.As(err, &lost) {
			return err
		}
		slog.Warn("new session", "after", err)
		if err := wait.Sleep(ctx, reopenPause); err != nil {
			return err
		}
	}
	return nil
}
