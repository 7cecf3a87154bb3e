package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/chaeos/chaeos/clusters/kafkadisk"
	"github.com/chaeos/chaeos/harness"
)

var _ harness.Disks = (*cluster)(nil)

// Wipe empties a stopped node's disk and formats it again, on a new directory id.
func (c *cluster) Wipe(ctx context.Context, node int) error {
	var done struct{}
	if err := c.send(ctx, fmt.Sprintf("/nodes/%d/disk/wipe", node), nil, &done); err != nil {
		return fmt.Errorf("wipe node %d: %w", node, err)
	}
	return nil
}

// CutLogs cuts the logs of a stopped node.
func (c *cluster) CutLogs(ctx context.Context, node int, cut harness.LogCut) ([]harness.CutLog, error) {
	var lost []harness.CutLog
	if err := c.send(ctx, fmt.Sprintf("/nodes/%d/disk/cut", node), cut, &lost); err != nil {
		return nil, fmt.Errorf("cut the logs of node %d: %w", node, err)
	}
	return lost, nil
}

func (a *api) wipe(r *http.Request) (any, error) {
	n, err := a.node(r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, n.onDisk(func(dir string) error {
		if err := os.RemoveAll(dataDir(dir)); err != nil {
			return err
		}
		return a.keeper.plan.Kafka.formatData(dataDir(dir), n.id, a.keeper.clusterID)
	})
}

func (a *api) cut(r *http.Request) (any, error) {
	n, err := a.node(r)
	if err != nil {
		return nil, err
	}
	var cut harness.LogCut
	if err := json.NewDecoder(r.Body).Decode(&cut); err != nil {
		return nil, fmt.Errorf("what to cut: %w", err)
	}
	lost := []harness.CutLog{}
	err = n.onDisk(func(dir string) error {
		cutNow, err := kafkadisk.Cut(dataDir(dir), cut)
		lost = append(lost, cutNow...)
		return err
	})
	return lost, err
}

// onDisk changes what the node has on its disk; it must be stopped, and is not started meanwhile.
func (n *node) onDisk(change func(dir string) error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.running() {
		return fmt.Errorf("node %d runs: its disk can't be changed under it", n.id)
	}
	return change(n.dir)
}
