package containers

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tcnetwork "github.com/testcontainers/testcontainers-go/network"

	"github.com/moby/moby/api/types/network"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
)

// labelsOf are the labels of one part of a cluster.
func labelsOf(cluster, part string, kept bool) (map[string]string, error) {
	o, err := thisProcess()
	if err != nil {
		return nil, err
	}
	labels := map[string]string{labelCluster: cluster, labelNode: part, labelOwner: o.String()}
	if kept {
		labels[labelKept] = "true"
	}
	return labels, nil
}

// subnetTries is how many subnets are tried for a network before giving up.
const subnetTries = 40

// openNetworks makes a network for each node.
func (c *cluster) openNetworks(ctx context.Context) error {
	c.layout.subnets, c.networks = map[int]netip.Prefix{}, map[int]*testcontainers.DockerNetwork{}
	for _, n := range c.layout.topology.Nodes() {
		if err := c.openNetwork(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) openNetwork(ctx context.Context, n int) error {
	labels, err := labelsOf(c.id, fmt.Sprint(n), c.kept)
	if err != nil {
		return err
	}
	for range subnetTries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		subnet := candidate()
		var made *testcontainers.DockerNetwork
		if made, err = c.makeNetwork(ctx, subnet, labels); err == nil {
			c.layout.subnets[n], c.networks[n] = subnet, made
			return nil
		}
		if !strings.Contains(err.Error(), "overlap") { // with another network: another subnet may be free
			break
		}
	}
	return fmt.Errorf("make a network for node %d: %w", n, err)
}

func (c *cluster) makeNetwork(ctx context.Context, subnet netip.Prefix, labels map[string]string) (*testcontainers.DockerNetwork, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createWithin)
	defer cancel()
	upper := netip.PrefixFrom(nth(subnet, 8), subnetBits+1)
	return tcnetwork.New(ctx, tcnetwork.WithLabels(labels), tcnetwork.WithIPAM(&network.IPAM{Driver: "default",
		Config: []network.IPAMConfig{{Subnet: subnet, IPRange: upper, Gateway: nth(subnet, gatewayAddress)}}}))
}

// openProxy starts the proxy container, joined to every network.
func (c *cluster) openProxy(ctx context.Context, image string) error {
	labels, err := labelsOf(c.id, "proxy", c.kept)
	if err != nil {
		return err
	}
	s := spec{image: image, cmd: []string{ProxyCommand, "--listen", at(netip.IPv4Unspecified(), apiPort)},
		entrypoint: []string{"/chaeos"}, labels: labels, ports: c.layout.proxyPorts()}
	for _, n := range c.layout.topology.Nodes() {
		s.endpoints = append(s.endpoints, endpoint{c.networks[n], c.layout.proxyIn(n)})
	}
	made, err := c.engine.create(ctx, s)
	if err != nil {
		return err
	}
	c.proxy = made.GetContainerID()
	if err := c.engine.start(ctx, c.proxy); err != nil {
		return err
	}
	return c.awaitProxy(ctx)
}

// awaitProxy waits until Toxiproxy answers at its published port.
func (c *cluster) awaitProxy(ctx context.Context) error {
	last := error(nil)
	err := wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		var request *http.Request
		if request, last = http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.layout.api()+"/version", nil); last != nil {
			return false, last
		}
		var response *http.Response
		if response, last = http.DefaultClient.Do(request); last != nil {
			return false, nil
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK, nil
	})
	if err != nil {
		tail := c.engine.lastLines(context.WithoutCancel(ctx), c.proxy, tailLines)
		return &StartError{Why: fmt.Sprintf("Toxiproxy does not answer in its container: %v (%v)", err, last), Tail: tail}
	}
	return nil
}

// openLinks makes the links between nodes, and the shared client link to each broker.
func (c *cluster) openLinks() error {
	for _, link := range c.layout.topology.NodeLinks() {
		var upstream string
		link.Listen, upstream = c.layout.proxied(link)
		if err := c.set.Open(link, upstream); err != nil {
			return err
		}
	}
	return nil
}

// createNodes makes the nodes' containers.
func (c *cluster) createNodes(ctx context.Context, k kafka, properties map[string]string) error {
	c.files = func(n int) map[string]string { return nodeFiles(c.layout, n, k, c.kafkaID, properties) }
	c.command = k.broker()
	c.image = k.image
	for _, id := range c.layout.topology.Nodes() {
		c.nodes = append(c.nodes, &node{id: id, engine: c.engine})
	}
	return together.Do(c.nodes, func(n *node) error { return c.createNode(ctx, n) })
}

func nodeFiles(l layout, n int, k kafka, clusterID string, overrides map[string]string) map[string]string {
	return map[string]string{
		properties: kafkaconf.Render(l.conf(n), overrides),
		logConfig:  kafkaconf.LogConfig,
		dataDir + "/" + kafkaconf.BootstrapCheckpoint: k.bootstrap,
		dataDir + "/meta.properties":                  kafkaconf.MetaProperties(n, clusterID),
	}
}

// createNode makes a node's container, with freshly formatted storage.
func (c *cluster) createNode(ctx context.Context, n *node) error {
	labels, err := labelsOf(c.id, fmt.Sprint(n.id), c.kept)
	if err != nil {
		return err
	}
	made, err := c.engine.create(ctx, spec{
		image: c.image, entrypoint: []string{"java"}, cmd: c.command, labels: labels, files: c.files(n.id),
		endpoints: []endpoint{{c.networks[n.id], c.layout.node(n.id)}},
		ports:     c.layout.nodePorts(n.id), hosts: c.layout.extraHosts(n.id),
	})
	if err != nil {
		return err
	}
	n.container = made.GetContainerID()
	return nil
}

// startNodes starts every node, its log followed into logDir unless that is "".
func (c *cluster) startNodes(ctx context.Context, logDir string) error {
	for _, n := range c.nodes {
		if logDir != "" {
			file, err := os.OpenFile(filepath.Join(logDir, fmt.Sprintf("broker-%d.log", n.id)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
			if err != nil {
				return err
			}
			n.log = &follower{engine: c.engine, id: n.container, file: file}
		}
	}
	return together.Do(c.nodes, func(n *node) error { return n.Start(ctx) })
}
