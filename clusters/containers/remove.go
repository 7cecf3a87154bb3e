package containers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
)

// removeContainers removes containers with what they wrote, all at once. One that is gone already is no error.
func (e *Engine) removeContainers(ctx context.Context, ids []string) error {
	return together.Do(ids, func(id string) error {
		_, err := e.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		// Another process may be removing it: then it must be gone in the end.
		if err != nil && !errdefs.IsNotFound(err) {
			return e.awaitGone(ctx, id, err)
		}
		return nil
	})
}

func (e *Engine) awaitGone(ctx context.Context, id string, first error) error {
	err := wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		_, err := e.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		return err == nil || errdefs.IsNotFound(err), nil
	})
	if err != nil {
		return fmt.Errorf("remove container %.12s: %w", id, first)
	}
	return nil
}

func (e *Engine) removeNetworks(ctx context.Context, ids []string) error {
	var errs []error
	for _, id := range ids {
		if _, err := e.NetworkRemove(ctx, id, client.NetworkRemoveOptions{}); err != nil && !errdefs.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("remove network %.12s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}
