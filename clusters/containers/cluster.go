package containers

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/testcontainers/testcontainers-go"

	"github.com/chaeos/chaeos/clusters/proxies"
	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
)

// cluster is a running cluster of containers.
type cluster struct {
	id      string
	kept    bool
	engine  *Engine
	layout  layout
	kafkaID string
	info    harness.ClusterInfo

	// What a node's container is made of, to make it again.
	image   string
	command []string
	files   func(node int) map[string]string

	networks map[int]*testcontainers.DockerNetwork
	proxy    string
	set      *proxies.Set
	nodes    []*node
	forget   func() error

	mu   sync.Mutex
	next int // the first free index of named clients
}

var _ harness.Cluster = (*cluster)(nil)

// Info describes the cluster. Its data is in its containers.
func (c *cluster) Info() harness.ClusterInfo { return c.info }

// Direct maps advertised addresses to the brokers' own client listeners.
func (c *cluster) Direct() harness.Dials {
	dials := harness.Dials{}
	for _, n := range c.layout.topology.BrokerIDs() {
		dials[c.layout.shared(n)] = c.layout.own(n)
	}
	return dials
}

// ClientLinks makes the named client's links, once.
func (c *cluster) ClientLinks(_ context.Context, client string) (harness.Dials, error) {
	dials, err := c.set.Named(client, func() (harness.Dials, error) { return c.openNamed(client) })
	if err != nil {
		return nil, fmt.Errorf("links of client %q: %w", client, err)
	}
	return dials, nil
}

func (c *cluster) openNamed(client string) (harness.Dials, error) {
	c.mu.Lock()
	index := c.next
	c.next++
	c.mu.Unlock()
	dials := harness.Dials{}
	for _, to := range c.layout.topology.BrokerIDs() {
		listen, dial, err := c.layout.named(index, to)
		if err != nil {
			return nil, err
		}
		link := harness.NewLink(harness.ClientLink, client, to)
		link.Listen = listen
		_, upstream := c.layout.proxied(link)
		if err := c.set.Open(link, upstream); err != nil {
			return nil, err
		}
		dials[c.layout.shared(to)] = dial
	}
	return dials, nil
}

// Links lists every link there is now, sorted by proxy name.
func (c *cluster) Links() []harness.Link { return c.set.All() }

// Bytes reads the counters of every proxy.
func (c *cluster) Bytes(ctx context.Context) (map[string]harness.LinkBytes, error) {
	return proxies.AskBytes(ctx, c.layout.api())
}

// Status reports every node, in node order.
func (c *cluster) Status(ctx context.Context) ([]harness.NodeStatus, error) {
	all, errs := together.Ask(c.nodes, func(n *node) (harness.NodeStatus, error) { return n.status(ctx) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

// node does something with one node.
func (c *cluster) node(id int, what string, do func(*node) error) error {
	if id < 1 || id > len(c.nodes) {
		return fmt.Errorf("%s node %d: there is no node %d (nodes are 1 to %d)", what, id, id, len(c.nodes))
	}
	if err := do(c.nodes[id-1]); err != nil {
		return fmt.Errorf("%s node %d: %w", what, id, err)
	}
	return nil
}

// on binds a node's operation to a context.
func on(ctx context.Context, operation func(*node, context.Context) error) func(*node) error {
	return func(n *node) error { return operation(n, ctx) }
}

// Kill ends the node with SIGKILL.
func (c *cluster) Kill(ctx context.Context, id int) error {
	return c.node(id, "kill", on(ctx, (*node).Kill))
}

// Stop ends the node with SIGTERM; an expired context leaves it ending.
func (c *cluster) Stop(ctx context.Context, id int) error {
	return c.node(id, "stop", on(ctx, (*node).Stop))
}

// Pause freezes the node.
func (c *cluster) Pause(ctx context.Context, id int) error {
	return c.node(id, "pause", on(ctx, (*node).Pause))
}

// Resume continues a paused node.
func (c *cluster) Resume(ctx context.Context, id int) error {
	return c.node(id, "resume", on(ctx, (*node).Resume))
}

// Start starts a node that has ended, at its old address and with its old data.
func (c *cluster) Start(ctx context.Context, id int) error {
	return c.node(id, "start", on(ctx, (*node).Start))
}

// awaitReady returns when the cluster is ready, or as soon as a node ends.
func (c *cluster) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, n := range c.nodes {
		go n.watch(ctx, func(died *StartError) { cancel(died) })
	}
	var addresses []string
	for _, n := range c.layout.topology.BrokerIDs() {
		addresses = append(addresses, c.layout.own(n))
	}
	err := ready.Await(ctx, addresses)
	var died *StartError
	if errors.As(context.Cause(ctx), &died) {
		return died
	}
	if err != nil {
		return &StartError{Why: err.Error(), Tail: c.engine.lastLines(context.WithoutCancel(ctx), c.nodes[0].container, tailLines)}
	}
	return nil
}

// Close removes every container and network of the cluster, by its label and by force. Closing twice is no error.
func (c *cluster) Close(ctx context.Context) error {
	err := c.engine.RemoveCluster(ctx, c.id)
	for _, n := range c.nodes {
		if n.log != nil {
			n.log.flushed(flushWithin)
			_ = n.log.file.Close() // it can only be closed already
		}
	}
	return errors.Join(err, c.forget())
}

func (c *cluster) describe() harness.ClusterInfo {
	info := harness.ClusterInfo{Provider: Name, Nodes: c.layout.topology.BrokerIDs(), Topology: c.layout.topology, ToxiproxyAPI: c.layout.api(), ProxiesApart: true}
	for _, n := range info.Nodes {
		info.Bootstrap = append(info.Bootstrap, c.layout.shared(n))
	}
	return info
}
