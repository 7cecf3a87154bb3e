package local

import (
	"fmt"
	"os"
	"strings"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
)

// nodeCount is the size of every cluster: the smallest that survives the loss of a node.
const nodeCount = 3

// A cluster's ports, counted from its block's base. All of 127/8 answers on Linux, so that one port serves many
// listeners: node i reaches node j at 127.0.i.j, where a proxy listens, and node j itself binds 127.0.j.j.
const (
	apiPort = iota
	replicationPort
	quorumPort
	clientPort
	sharedPort // one a node follows, from here

	blockSize = 16
)

// layout is the addresses of one cluster.
type layout struct{ base int }

func (l layout) at(host string, port int) string { return fmt.Sprintf("%s:%d", host, l.base+port) }

// api is the Toxiproxy API's address.
func (l layout) api() string { return l.at("127.0.0.1", apiPort) }

// host is the address at which node from finds node to: a proxy's, or its own.
func host(from, to int) string { return fmt.Sprintf("127.0.%d.%d", from, to) }

// own is where node n listens itself.
func (l layout) own(n, port int) string { return l.at(host(n, n), port) }

// shared is node n's advertised client address: the proxy of the link group "client".
func (l layout) shared(n int) string { return l.at("127.0.0.1", sharedPort+n) }

// named is where the index-th named client's proxy to node n listens.
func (l layout) named(index, n int) string {
	return l.at(fmt.Sprintf("127.%d.%d.%d", 1+index/256, index%256, n), clientPort)
}

func internalName(n int) string { return fmt.Sprintf("kafka-%d.internal", n) }

func nodeIDs() []int {
	ids := make([]int, nodeCount)
	for i := range ids {
		ids[i] = i + 1
	}
	return ids
}

// node describes node n for the renderer.
func (l layout) node(n int, data string) kafkaconf.Node {
	voters := make(map[int]string, nodeCount)
	for _, id := range nodeIDs() {
		voters[id] = l.at(internalName(id), quorumPort)
	}
	internal := func(port int) kafkaconf.Address {
		return kafkaconf.Address{Bind: l.own(n, port), Advertise: l.at(internalName(n), port)}
	}
	return kafkaconf.Node{
		ID: n, DataDir: data, Voters: voters,
		Client:      kafkaconf.Address{Bind: l.own(n, clientPort), Advertise: l.shared(n)},
		Replication: internal(replicationPort),
		Controller:  internal(quorumPort),
	}
}

// soloNode describes a cluster of one without proxies, for formatting and for recording an archive.
func soloNode(data string, l layout) kafkaconf.Node {
	direct := func(port int) kafkaconf.Address {
		return kafkaconf.Address{Bind: l.own(1, port), Advertise: l.own(1, port)}
	}
	return kafkaconf.Node{
		ID: 1, DataDir: data, Voters: map[int]string{1: l.own(1, quorumPort)},
		Client: direct(clientPort), Replication: direct(replicationPort), Controller: direct(quorumPort),
	}
}

// hostsFile is the name table of node n's JVM, which replaces the machine's: proxies for its peers, itself directly.
// With bare it goes straight to the peers.
func hostsFile(n int, bare bool) string {
	var b strings.Builder
	b.WriteString("127.0.0.1 localhost\n")
	if name, err := os.Hostname(); err == nil {
		fmt.Fprintf(&b, "127.0.0.1 %s\n", name) // the JVM looks its own machine up
	}
	for _, to := range nodeIDs() {
		from := n
		if bare {
			from = to
		}
		fmt.Fprintf(&b, "%s %s\n", host(from, to), internalName(to))
	}
	return b.String()
}
