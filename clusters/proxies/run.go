package proxies

import (
	"context"
	"fmt"
	"io"
	"net"
)

// Run is all that a process does which is only Toxiproxy: it serves the API at address until ctx ends. Kinds of toxics must
// be registered before.
func Run(ctx context.Context, address string, log io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("toxiproxy: %w", err)
	}
	defer listener.Close()
	server, err := Serve(listener, log)
	if err != nil {
		return err
	}
	server.Count(ctx)
	return nil
}
