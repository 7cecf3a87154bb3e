package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/chaeos/chaeos/harness"
)

// PrepareLink is called with every proxy as it is made, before anything dials it: toxics that must be there from a
// connection's first byte are added here.
type PrepareLink func(link harness.Link, proxy *toxiclient.Proxy) error

// maxNamed is the number of named clients that addresses are set aside for.
const maxNamed = 16 * 256

// proxies is an embedded Toxiproxy server with one proxy a link.
type proxies struct {
	layout  layout
	server  *toxiproxy.ApiServer
	client  *toxiclient.Client
	prepare PrepareLink
	counter *counter

	// making is held while a named client's links are made: workers start together, and ask together.
	making sync.Mutex
	named  map[string]harness.Dials
	next   int // the first index of named addresses that was never tried

	mu    sync.Mutex
	links []harness.Link
}

// serveProxies serves Toxiproxy's API on listener until the process ends. Its log goes to log, errors only.
func serveProxies(l layout, listener net.Listener, log io.Writer, prepare PrepareLink) (*proxies, error) {
	registry := prometheus.NewRegistry()
	metrics := toxiproxy.NewMetricsContainer(registry)
	metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	server := toxiproxy.NewServer(metrics, zerolog.New(log).Level(zerolog.ErrorLevel))
	counter, err := newCounter(server, registry)
	if err != nil {
		return nil, err
	}
	api := &http.Server{Handler: server.Routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = api.Serve(listener) }() // ends with the process, or with the listener
	return &proxies{
		layout: l, server: server, client: toxiclient.NewClient(l.api()), prepare: prepare, counter: counter,
		named: map[string]harness.Dials{},
	}, nil
}

// openNodeLinks makes the links between nodes, and the shared client link to each broker.
func (p *proxies) openNodeLinks() error {
	var errs []error
	for _, link := range p.layout.topology.NodeLinks() {
		errs = append(errs, p.open(link, p.layout.listen(link)))
	}
	return errors.Join(errs...)
}

var upstreamPorts = map[harness.LinkKind]int{
	harness.ClientLink: clientPort, harness.ReplicationLink: replicationPort, harness.QuorumLink: quorumPort,
}

// open makes one link's proxy through Toxiproxy's client.
func (p *proxies) open(link harness.Link, listen string) error {
	link.Listen = listen
	proxy, err := p.client.CreateProxy(link.Proxy, listen, p.layout.own(link.To, upstreamPorts[link.Kind]))
	if err != nil {
		return fmt.Errorf("link %s: %w", link.Proxy, err)
	}
	if p.prepare != nil {
		if err := p.prepare(link, proxy); err != nil {
			return fmt.Errorf("prepare link %s: %w", link.Proxy, err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links = append(p.links, link)
	slices.SortFunc(p.links, func(a, b harness.Link) int { return strings.Compare(a.Proxy, b.Proxy) })
	return nil
}

// all lists the links there are, sorted by proxy name.
func (p *proxies) all() []harness.Link {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.links)
}

// clientLinks makes the named client's links, once; the addresses stay good over restarts of the client.
func (p *proxies) clientLinks(name string) (harness.Dials, error) {
	if err := harness.CheckClientName(name); err != nil {
		return nil, err
	}
	p.making.Lock()
	defer p.making.Unlock()
	if dials, made := p.named[name]; made {
		return dials, nil
	}
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
	p.named[name] = dials
	return dials, nil
}

// freeIndex returns an index all of whose addresses can be bound.
func (p *proxies) freeIndex() (int, error) {
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

// bytes reads the counters of every proxy.
func (p *proxies) bytes(context.Context) (map[string]harness.LinkBytes, error) {
	return p.counter.read()
}
