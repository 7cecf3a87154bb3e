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

// sharedClient is the name of the link group that brokers advertise.
const sharedClient = "client"

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

// openNodeLinks makes the links between nodes, and the shared client link to each.
func (p *proxies) openNodeLinks() error {
	var errs []error
	for _, to := range nodeIDs() {
		errs = append(errs, p.open(harness.ClientLink, sharedClient, to, p.layout.shared(to)))
		for _, from := range nodeIDs() {
			if from == to {
				continue
			}
			name := fmt.Sprint(from)
			errs = append(errs,
				p.open(harness.ReplicationLink, name, to, p.layout.at(host(from, to), replicationPort)),
				p.open(harness.QuorumLink, name, to, p.layout.at(host(from, to), quorumPort)))
		}
	}
	return errors.Join(errs...)
}

var upstreamPorts = map[harness.LinkKind]int{
	harness.ClientLink: clientPort, harness.ReplicationLink: replicationPort, harness.QuorumLink: quorumPort,
}

// open makes one link's proxy through Toxiproxy's client.
func (p *proxies) open(kind harness.LinkKind, from string, to int, listen string) error {
	link := harness.Link{Kind: kind, From: from, To: to, Proxy: fmt.Sprintf("%s-%d-%s", from, to, kind), Listen: listen}
	proxy, err := p.client.CreateProxy(link.Proxy, listen, p.layout.own(to, upstreamPorts[kind]))
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
	if err := checkClientName(name); err != nil {
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
	for _, to := range nodeIDs() {
		listen := p.layout.named(index, to)
		if err := p.open(harness.ClientLink, name, to, listen); err != nil {
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
		if probe([]string{p.layout.named(index, 1), p.layout.named(index, 2), p.layout.named(index, 3)}) == nil {
			return index, nil
		}
	}
	return 0, fmt.Errorf("no addresses left for another client (of %d)", maxNamed)
}

// checkClientName refuses what would collide with the proxies of nodes or break Toxiproxy's URLs.
func checkClientName(name string) error {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	}) < 0
	if name == "" || !plain || name == sharedClient || strings.Trim(name, "0123456789") == "" {
		return fmt.Errorf("%q can't name a client's links: letters, digits, dots and dashes, not a number, not %q", name, sharedClient)
	}
	return nil
}

// bytes reads the counters of every proxy.
func (p *proxies) bytes(context.Context) (map[string]harness.LinkBytes, error) {
	return p.counter.read()
}
