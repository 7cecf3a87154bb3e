package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/readback"
)

// ready answers what a run waits for at its end, over one client that no fault touches. A run asks from one goroutine.
type ready struct{ client *kgo.Client }

func (r *ready) connect(c harness.Cluster) error {
	if r.client != nil {
		return nil
	}
	var err error
	r.client, err = harness.DirectClient(c, "chaeos-ready")
	return err
}

func (r *ready) close() {
	if r.client != nil {
		r.client.Close()
	}
}

func (r *ready) settled(ctx context.Context, spec harness.ReadBackSpec) (settled bool, why string, err error) {
	if err := r.connect(spec.Cluster); err != nil {
		return false, "", err
	}
	return readback.Settled(ctx, ask.Of(r.client, spec.Cluster.Info().Nodes...), spec.Plan)
}

func (r *ready) drained(ctx context.Context, spec harness.ReadBackSpec) (drained bool, why string, err error) {
	if err := r.connect(spec.Cluster); err != nil {
		return false, "", err
	}
	return readback.Drained(ctx, ask.Of(r.client, spec.Cluster.Info().Nodes...), spec.Plan)
}
