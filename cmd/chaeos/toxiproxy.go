package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// proxyServer serves Toxiproxy's API at an address until its context ends, and logs errors.
type proxyServer func(ctx context.Context, address string, log io.Writer) error

// toxiproxyCommand is what the proxy container runs: the Toxiproxy of a cluster, with our own toxics and counters.
func (a *app) toxiproxyCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:    "toxiproxy",
		Hidden: true,
		Args:   noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := a.untilSignal(c.Context())
			defer stop()
			return a.parts.toxiproxy(ctx, listen, a.stderr)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8474", "where the API listens: it has no authentication")
	return c
}
