package local

import (
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/chaeos/chaeos/clusters/proxies"
	"github.com/chaeos/chaeos/harness"
)

// PrepareLink is called with every proxy as it is made.
type PrepareLink = proxies.PrepareLink

// maxNamed is the number of named clients that addresses are set aside for.
const maxNamed = 16 * 256

// links is an embedded Toxiproxy server with one proxy a link.
type links struct {
	*proxies.Server
	*proxies.Set
	layout layout
	next   int // the first index of named addresses that was never tried
}

// serveProxies serves Toxiproxy's API on listener until the process ends. Its log goes to log, errors only.
func serveProxies(l layout, listener net.Listener, log io.Writer, prepare PrepareLink) (*links, error) {
	server, err := proxies.Serve(listener, log)
	if err != nil {
		return nil, err
	}
	return &links{Server: server, Set: proxies.NewSet(l.api(), prepare), layout: l}, nil
}

// openNodeLinks makes the links between nodes, and the shared client link to each broker.
func (p *links) openNodeLinks() error {
	var errs []error
	for _, link := range p.layout.topology.NodeLinks() {
		errs = append(errs, p.open(link, p.layout.listen(link)))
	}
	return errors.Join(errs...)
}

var upstreamPorts = map[harness.LinkKind]int{
	harness.ClientLink: clientPort, harness.ReplicationLink: replicationPort, harness.QuorumLink: quorumPort,
}

func (p *links) open(link harness.Link, listen string) error {
	link.Listen = listen
	return p.Open(link, p.layout.own(link.To, upstreamPorts[link.Kind]))
}

// clientLinks makes the named client's links, once.
func (p *links) clientLinks(name string) (harness.Dials, error) {
	return p.Named(name, func() (harness.Dials, error) {
		index, err := p.freeIndex()
		if err != nil {
			return nil, err
		}
		dials := harness.Dials{}
		for _, to := range p.layout.topology.BrokerIDs() {
			listen := p.layout.named(index, to)
			if err := p.open(harness.NewLink(harness.ClientLink, name, to), listen); err != nil {
				return nil, err
			}
			dials[p.layout.shared(to)] = listen
		}
		return dials, nil
	})
}

// freeIndex returns an index all of whose addresses can be bound.
func (p *links) freeIndex() (int, error) {
	for p.next < maxNamed {
		index := p.next
		p.next++
		var all []string
		for _, to := range p.layout.topology.BrokerIDs() {
			all = append(all, p.layout.named(index, to))
		}
		if probe(all) == nil {
			return index, nil
		}
	}
	return 0, fmt.Errorf("no addresses left for another client (of %d)", maxNamed)
}
