package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
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
	return readback.Settled(ctx, r.client, spec.Cluster, spec.Plan)
}

// drained compares committed positions with the ends of the input log. That is right as long as sources write without
// transactions: a marker at the end of an input partition is never passed by a position.
func (r *ready) drained(ctx context.Context, spec harness.ReadBackSpec) (drained bool, why string, err error) {
	if err := r.connect(spec.Cluster); err != nil {
		return false, "", err
	}
	positions, err := readback.Positions(ctx, r.client, spec.Plan)
	if err != nil {
		return false, "", err
	}
	ends, err := kadm.NewClient(r.client).ListEndOffsets(ctx, spec.Plan.Input)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return false, "", fmt.Errorf("ends of %s: %w", spec.Plan.Input, err)
	}
	left := map[string]int64{}
	for _, p := range positions {
		if end, ok := ends.Lookup(p.Topic, p.Partition); ok && max(p.Offset, 0) < end.Offset {
			left[p.Group] += end.Offset - max(p.Offset, 0)
		}
	}
	return len(left) == 0, backlog(left), nil
}

// backlog says how many records each group has still to work off.
func backlog(left map[string]int64) string {
	var parts []string
	for _, group := range slices.Sorted(maps.Keys(left)) {
		parts = append(parts, fmt.Sprintf("%s: %d records left", group, left[group]))
	}
	return strings.Join(parts, ", ")
}
