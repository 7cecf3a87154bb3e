package local

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness"
)

// A cluster's ports, counted from its block's base. All of 127/8 answers on Linux, so that many listeners have the
// same port: node i reaches node j at 127.0.i.j, where a proxy listens, and node j itself binds 127.0.j.j.
const (
	apiPort = iota
	replicationPort
	quorumPort
	clientPort
	sharedPort // and one a node from here

	blockSize = 16 // room for the shared ports of harness.MostBrokers
)

// layout is the addresses of one cluster.
type layout struct {
	base     int
	topology harness.Topology
}

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

// node describes node n for the renderer.
func (l layout) node(n int, data string) kafkaconf.Node {
	voters := map[int]string{}
	for _, id := range l.topology.Voters() {
		voters[id] = l.at(internalName(id), quorumPort)
	}
	internal := func(port int) kafkaconf.Address {
		return kafkaconf.Address{Bind: l.own(n, port), Advertise: l.at(internalName(n), port)}
	}
	return kafkaconf.Node{
		ID: n, Role: kafkaconf.RoleIn(l.topology, n), Rack: l.topology.Rack(n), DataDir: data, Voters: voters,
		Client:      kafkaconf.Address{Bind: l.own(n, clientPort), Advertise: l.shared(n)},
		Replication: internal(replicationPort),
		Controller:  internal(quorumPort),
	}
}

// fixed are the addresses that every cluster of this layout uses, without the API's.
func (l layout) fixed() []string {
	var all []string
	for _, n := range l.topology.Nodes() {
		if l.topology.IsBroker(n) {
			all = append(all, l.own(n, clientPort), l.own(n, replicationPort))
		}
		if l.topology.IsVoter(n) {
			all = append(all, l.own(n, quorumPort))
		}
	}
	for _, link := range l.topology.NodeLinks() {
		all = append(all, l.listen(link))
	}
	return all
}

// listen is where the proxy of a link between nodes, or of the shared client link, listens.
func (l layout) listen(link harness.Link) string {
	if link.Kind == harness.ClientLink {
		return l.shared(link.To)
	}
	from, _ := strconv.Atoi(link.From) // links between nodes are dialled by numbers
	return l.at(host(from, link.To), upstreamPorts[link.Kind])
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
func (l layout) hostsFile(n int, bare bool) string {
	var b strings.Builder
	b.WriteString("127.0.0.1 localhost\n")
	if name, err := os.Hostname(); err == nil {
		fmt.Fprintf(&b, "127.0.0.1 %s\n", name) // the JVM looks its own machine up
	}
	for _, to := range l.topology.Nodes() {
		from := n
		if bare {
			from = to
		}
		fmt.Fprintf(&b, "%s %s\n", host(from, to), internalName(to))
	}
	return b.String()
}
