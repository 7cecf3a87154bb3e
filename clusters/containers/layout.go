package containers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness"
)

// Ports inside containers. Node j's replication and quorum listeners have numbers of their own, so that one address of
// the proxy container, in node i's network, has a listener for each link that i dials.
const (
	clientPort      = 9092
	replicationBase = 9100
	quorumBase      = 9200
	namedBase       = 10000 // links of named clients, one port a client and broker
	apiPort         = 8474
)

// Published ports, counted from a block's base, on loopback: the proxies' API, and the shared client link to each broker.
// If containers can't be reached otherwise, so are the brokers' own listeners and a number of named clients' links.
const (
	sharedPort = 1 // and one a broker from here
	directPort = sharedPort + harness.MostBrokers + 1
	namedPort  = directPort + harness.MostBrokers + 1

	publishedClients = 12
	blockSize        = 16
	largeBlock       = 160 // with the named clients
)

// Blocks are below the kernel's ephemeral range.
const (
	firstPort = 20000
	lastPort  = 32000
)

// layout is the addresses of one cluster.
type layout struct {
	base      int
	published bool
	topology  harness.Topology
	// subnets are the nodes' networks, by node number.
	subnets map[int]netip.Prefix
}

// Addresses in a node's network. Dynamic ones are assigned in the upper half, so that a dead container's stays free.
const (
	gatewayAddress = 1
	proxyAddress   = 2
	nodeAddress    = 3
	subnetBits     = 28
)

func nth(p netip.Prefix, n int) netip.Addr {
	a := p.Addr()
	for range n {
		a = a.Next()
	}
	return a
}

// candidate returns a subnet for a network: few programs use so low a part of so high a block.
func candidate() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(200 + rand.IntN(50)), byte(rand.IntN(256)), byte(rand.IntN(16) << 4)}), subnetBits)
}

func (l layout) proxyIn(n int) netip.Addr { return nth(l.subnets[n], proxyAddress) }
func (l layout) node(n int) netip.Addr    { return nth(l.subnets[n], nodeAddress) }

func at(host netip.Addr, port int) string { return net.JoinHostPort(host.String(), strconv.Itoa(port)) }

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

func (l layout) api() string { return at(loopback, l.base) }

// shared is broker n's advertised client address: the published port of the link group "client".
func (l layout) shared(n int) string { return at(loopback, l.base+sharedPort+n-1) }

// own is where broker n's own client listener is reached from outside.
func (l layout) own(n int) string {
	if l.published {
		return at(loopback, l.base+directPort+n-1)
	}
	return at(l.node(n), clientPort)
}

func internalName(n int) string { return fmt.Sprintf("kafka-%d.internal", n) }

func port(kind harness.LinkKind, to int) int {
	switch kind {
	case harness.ReplicationLink:
		return replicationBase + to
	case harness.QuorumLink:
		return quorumBase + to
	default:
		return clientPort
	}
}

// proxied is where a link's proxy listens in the proxy container, and where it forwards to.
func (l layout) proxied(link harness.Link) (listen, upstream string) {
	upstream = at(l.node(link.To), port(link.Kind, link.To))
	if link.Kind == harness.ClientLink {
		return at(netip.IPv4Unspecified(), l.base+sharedPort+link.To-1), upstream
	}
	from, _ := strconv.Atoi(link.From) // links between nodes are dialled by numbers
	return at(l.proxyIn(from), port(link.Kind, link.To)), upstream
}

// named is where the index-th named client's proxy to broker n listens, and what the client dials.
func (l layout) named(index, n int) (listen, dial string, err error) {
	offset := index*harness.MostBrokers + n - 1
	if l.published {
		if index >= publishedClients {
			return "", "", fmt.Errorf("no published port is left for another client (of %d): this engine's containers can't be reached "+
				"directly", publishedClients)
		}
		port := l.base + namedPort + offset
		return at(netip.IPv4Unspecified(), port), at(loopback, port), nil
	}
	if port := namedBase + offset; port < 65535 {
		address := at(l.proxyIn(1), port)
		return address, address, nil
	}
	return "", "", errors.New("no port is left for another client")
}

// proxyPorts are the proxy container's published ports: the host's numbers, by the container's.
func (l layout) proxyPorts() map[int]int {
	ports := map[int]int{apiPort: l.base}
	publish := func(port int) { ports[port] = port }
	for _, n := range l.topology.BrokerIDs() {
		publish(l.base + sharedPort + n - 1)
	}
	if l.published {
		for offset := range publishedClients * harness.MostBrokers {
			publish(l.base + namedPort + offset)
		}
	}
	return ports
}

// nodePorts are a node's published ports.
func (l layout) nodePorts(n int) map[int]int {
	if !l.published || !l.topology.IsBroker(n) {
		return nil
	}
	return map[int]int{clientPort: l.base + directPort + n - 1}
}

// conf describes node n for the renderer.
func (l layout) conf(n int) kafkaconf.Node {
	voters := map[int]string{}
	name := func(n int, kind harness.LinkKind) string { return fmt.Sprintf("%s:%d", internalName(n), port(kind, n)) }
	for _, id := range l.topology.Voters() {
		voters[id] = name(id, harness.QuorumLink)
	}
	listener := func(kind harness.LinkKind, advertise string) kafkaconf.Address {
		return kafkaconf.Address{Bind: fmt.Sprintf("0.0.0.0:%d", port(kind, n)), Advertise: advertise}
	}
	return kafkaconf.Node{
		ID: n, Role: kafkaconf.RoleIn(l.topology, n), Rack: l.topology.Rack(n), DataDir: dataDir, Voters: voters,
		Client:      listener(harness.ClientLink, l.shared(n)),
		Replication: listener(harness.ReplicationLink, name(n, harness.ReplicationLink)),
		Controller:  listener(harness.QuorumLink, name(n, harness.QuorumLink)),
	}
}

// extraHosts is node n's name table: proxies for its peers, itself directly.
func (l layout) extraHosts(n int) []string {
	var hosts []string
	for _, to := range l.topology.Nodes() {
		address := l.proxyIn(n)
		if to == n {
			address = l.node(n)
		}
		hosts = append(hosts, internalName(to)+":"+address.String())
	}
	return hosts
}

// ports is a range that blocks are taken from.
type ports struct{ first, last int }

// reserve finds a block that is free now. The first that publishes it has it: a start that comes too late takes another.
func (p ports) reserve(published bool) (int, error) {
	size := blockSize
	if published {
		size = largeBlock
	}
	blocks := (p.last - p.first) / size
	start := rand.IntN(blocks)
	for i := range blocks {
		base := p.first + (start+i)%blocks*size
		if free(base, size) {
			return base, nil
		}
	}
	return 0, &PortError{First: p.first, Last: p.last}
}

// FreePorts returns a *PortError if no cluster finds the ports that it takes.
func FreePorts() error {
	_, err := ports{firstPort, lastPort}.reserve(false)
	return err
}

// PortError is the error if no block of ports is free.
type PortError struct{ First, Last int }

func (e *PortError) Error() string {
	return fmt.Sprintf("no free block of ports between %d and %d on loopback: end what listens there (ss -ltnp shows it)", e.First, e.Last)
}

// free reports whether every port of a block can be bound.
func free(base, size int) bool {
	for port := base; port < base+size; port++ {
		listener, err := net.Listen("tcp", at(loopback, port))
		if err != nil {
			return false
		}
		listener.Close()
	}
	return true
}
