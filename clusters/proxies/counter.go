package proxies

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// counter counts the bytes that enter and leave every proxy, while its connections are open.
//
// Toxiproxy's own metrics only grow when a connection's direction ends, so they show nothing of a link that was cut and is
// still open; and bytes sent are not counted at all if the write ended in an error. The kernel knows both for
// every socket (TCP_INFO), at no cost to the path of the bytes. So the sum over a proxy's sockets is taken, and
// Toxiproxy's metrics fill in connections that came and went between two of its reads.
type counter struct {
	server   *toxiproxy.ApiServer
	registry *prometheus.Registry

	mu      sync.Mutex
	sockets map[socketKey]*socket
	ended   map[string]*harness.LinkBytes // by proxy, of directions that have ended
}

// countEvery is how often sockets are read between calls of read: the count of an ended connection lacks at most what came
// in that time.
const countEvery = 100 * time.Millisecond

// socketKey is one side of one connection. Toxiproxy names a connection after its client's address, which a later
// connection may have again: the pointer tells them apart.
type socketKey struct {
	conn  net.Conn
	proxy string
	// upstream reports whether it is the side towards the broker.
	upstream bool
}

type socket struct {
	in, out int64
	// inEnded reports whether in was moved to ended: the peer closed, so no more can come.
	inEnded bool
	seen    bool
}

func newCounter(server *toxiproxy.ApiServer, registry *prometheus.Registry) (*counter, error) {
	if err := checkConnectionsField(); err != nil {
		return nil, err
	}
	return &counter{server: server, registry: registry, sockets: map[socketKey]*socket{}, ended: map[string]*harness.LinkBytes{}}, nil
}

// run reads the sockets every countEvery, until ctx ends.
func (c *counter) run(ctx context.Context) {
	_ = wait.Poll(ctx, countEvery, func() (bool, error) { c.look(); return false, nil })
}

// read returns every proxy's counts as of now.
func (c *counter) read() (map[string]harness.LinkBytes, error) {
	c.look()
	closed, err := c.metrics()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]harness.LinkBytes{}
	for name := range c.server.Collection.Proxies() {
		all[name] = larger(c.endedOf(name), closed[name])
	}
	for key, s := range c.sockets {
		total := all[key.proxy]
		s.addTo(&total, key.upstream)
		all[key.proxy] = total
	}
	return all, nil
}

// look reads every open socket and finishes those that are gone.
func (c *counter) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sockets {
		s.seen = false
	}
	for name, proxy := range c.server.Collection.Proxies() {
		for key, conn := range connections(proxy) {
			c.lookAt(socketKey{conn: conn, proxy: name, upstream: strings.HasSuffix(key, "upstream")})
		}
	}
	for key, s := range c.sockets {
		if !s.seen {
			c.finish(key, s)
		}
	}
}

func (c *counter) lookAt(key socketKey) {
	info, err := tcpInfo(key.conn)
	if err != nil {
		return // closed meanwhile: finished with the last count
	}
	s := c.sockets[key]
	if s == nil {
		s = &socket{}
		c.sockets[key] = s
	}
	s.seen = true
	if !s.inEnded {
		s.in = received(info)
	}
	// Written by the proxy: sent for the first time, or still waiting in the kernel to be sent.
	s.out = int64(info.Bytes_sent) - int64(info.Bytes_retrans) + int64(info.Notsent_bytes)
	if info.State != unix.BPF_TCP_ESTABLISHED && !s.inEnded {
		s.inEnded = true
		addIn(c.endedOf(key.proxy), key.upstream, s.in)
		addEnd(c.endedOf(key.proxy), key.upstream)
	}
}

// received is how many bytes came: the kernel counts the peer's end of stream as one more.
func received(info *unix.TCPInfo) int64 {
	switch info.State {
	case unix.BPF_TCP_CLOSE_WAIT, unix.BPF_TCP_LAST_ACK, unix.BPF_TCP_CLOSING, unix.BPF_TCP_TIME_WAIT:
		return int64(info.Bytes_received) - 1
	}
	return int64(info.Bytes_received)
}

// finish moves a gone socket's counts to those of ended directions.
func (c *counter) finish(key socketKey, s *socket) {
	if !s.inEnded {
		addEnd(c.endedOf(key.proxy), key.upstream)
	}
	s.addTo(c.endedOf(key.proxy), key.upstream)
	delete(c.sockets, key)
}

func (c *counter) endedOf(proxy string) *harness.LinkBytes {
	if c.ended[proxy] == nil {
		c.ended[proxy] = &harness.LinkBytes{}
	}
	return c.ended[proxy]
}

// addTo adds what is not counted as ended yet. What the client's side receives goes upstream, and what the broker's side
// sends came from there.
func (s *socket) addTo(b *harness.LinkBytes, upstream bool) {
	if !s.inEnded {
		addIn(b, upstream, s.in)
	}
	if upstream {
		b.UpstreamOut += s.out
	} else {
		b.DownstreamOut += s.out
	}
}

func addIn(b *harness.LinkBytes, upstream bool, n int64) {
	if upstream {
		b.DownstreamIn += n
	} else {
		b.UpstreamIn += n
	}
}

// addEnd counts a connection that the peer on one side ended, or the proxy under it.
func addEnd(b *harness.LinkBytes, upstream bool) {
	if upstream {
		b.DownstreamEnded++
	} else {
		b.UpstreamEnded++
	}
}

// larger takes the larger of two counts of the same ended directions: each may lack something, neither has too much.
func larger(a *harness.LinkBytes, b harness.LinkBytes) harness.LinkBytes {
	return harness.LinkBytes{
		UpstreamIn: max(a.UpstreamIn, b.UpstreamIn), UpstreamOut: max(a.UpstreamOut, b.UpstreamOut),
		DownstreamIn: max(a.DownstreamIn, b.DownstreamIn), DownstreamOut: max(a.DownstreamOut, b.DownstreamOut),
		UpstreamEnded: a.UpstreamEnded, DownstreamEnded: a.DownstreamEnded, // Toxiproxy doesn't count them
	}
}

// metrics reads Toxiproxy's counts of ended directions, by proxy.
func (c *counter) metrics() (map[string]harness.LinkBytes, error) {
	families, err := c.registry.Gather()
	if err != nil {
		return nil, fmt.Errorf("read Toxiproxy's metrics: %w", err)
	}
	all := map[string]harness.LinkBytes{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			b := all[labels["proxy"]]
			*field(&b, labels["direction"], strings.Contains(family.GetName(), "received")) = int64(metric.GetCounter().GetValue())
			all[labels["proxy"]] = b
		}
	}
	return all, nil
}

func field(b *harness.LinkBytes, direction string, received bool) *int64 {
	switch {
	case direction == "upstream" && received:
		return &b.UpstreamIn
	case direction == "upstream":
		return &b.UpstreamOut
	case received:
		return &b.DownstreamIn
	default:
		return &b.DownstreamOut
	}
}
