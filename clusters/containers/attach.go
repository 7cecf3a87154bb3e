package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/chaeos/chaeos/clusters/proxies"
	"github.com/chaeos/chaeos/harness"
)

// errStale is harness.ErrStale of a cluster whose containers are gone.
var errStale = fmt.Errorf("%w: its containers are no longer there", harness.ErrStale)

// state is what is recorded of a detached cluster.
type state struct {
	ID         string               `json:"id"`
	Host       string               `json:"host"`
	Info       harness.ClusterInfo  `json:"info"`
	Base       int                  `json:"base"`
	Published  bool                 `json:"published,omitempty"`
	Subnets    map[int]netip.Prefix `json:"subnets"`
	Proxy      string               `json:"proxy"`
	Containers map[int]string       `json:"containers"`
}

func (c *cluster) state() state {
	s := state{ID: c.id, Host: c.engine.Host, Info: c.info, Base: c.layout.base, Published: c.layout.published,
		Subnets: c.layout.subnets, Proxy: c.proxy, Containers: map[int]string{}}
	for _, n := range c.nodes {
		s.Containers[n.id] = n.container
	}
	return s
}

// Attach returns the detached cluster recorded in stateDir, or harness.ErrNoCluster. If it is gone, the error is
// harness.ErrStale, and the record is removed. Prepare is called with links made from now on; it may be nil.
func Attach(ctx context.Context, stateDir string, prepare proxies.PrepareLink) (harness.Cluster, error) {
	s, err := loadState(stateDir)
	if err != nil {
		return nil, err
	}
	engine, err := connectTo(ctx, s.Host)
	if err != nil {
		return nil, &EngineError{Tried: []string{fmt.Sprintf("%s: %s", s.Host, reason(err))}, Do: whatToDo()}
	}
	c := &cluster{id: s.ID, kept: true, engine: engine, info: s.Info, proxy: s.Proxy,
		layout: layout{base: s.Base, published: s.Published, topology: s.Info.Topology, subnets: s.Subnets},
		forget: func() error { return forget(stateDir) },
	}
	for _, id := range c.layout.topology.Nodes() {
		c.nodes = append(c.nodes, &node{id: id, engine: engine, container: s.Containers[id]})
	}
	all, err := engine.Leftovers(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.Cluster == s.ID {
			if c.set, err = proxies.Recall(c.layout.api(), prepare); err != nil {
				return nil, err
			}
			c.next = c.named()
			return c, nil
		}
	}
	return nil, errors.Join(errStale, forget(stateDir))
}

// named is the number of named clients that the cluster has links for.
func (c *cluster) named() int {
	clients := map[string]bool{}
	for _, l := range c.Links() {
		if l.Kind == harness.ClientLink && l.From != harness.SharedClient {
			clients[l.From] = true
		}
	}
	return len(clients)
}

// checkNoneUp refuses a second detached cluster, and forgets one that is gone.
func (p *Provider) checkNoneUp(ctx context.Context) error {
	c, err := Attach(ctx, p.StateDir, nil)
	switch {
	case errors.Is(err, harness.ErrNoCluster), errors.Is(err, harness.ErrStale):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("a cluster of containers is already up, bootstrap %v (end it with: chaeos cluster down)", c.Info().Bootstrap)
}

// stateFile records a detached cluster.
func stateFile(stateDir string) string { return filepath.Join(stateDir, "containers.json") }

func saveState(stateDir string, s state) error {
	if err := os.MkdirAll(stateDir, 0o755); err != nil {
		return err
	}
	return harness.WriteJSON(stateFile(stateDir), s)
}

func loadState(stateDir string) (state, error) {
	text, err := os.ReadFile(stateFile(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, harness.ErrNoCluster
	}
	var s state
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return state{}, fmt.Errorf("%s: %w", stateFile(stateDir), err)
	}
	return s, nil
}

func forget(stateDir string) error {
	if err := os.Remove(stateFile(stateDir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
