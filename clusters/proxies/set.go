package proxies

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
)

// PrepareLink is called with every proxy as it is made, before anything dials it: toxics that must be there from a
// connection's first byte are added here.
type PrepareLink func(link harness.Link, proxy *toxiclient.Proxy) error

// Set is the links of one cluster, one proxy a link.
type Set struct {
	client  *toxiclient.Client
	prepare PrepareLink

	// making is held while a named client's links are made: workers start together, and ask together.
	making sync.Mutex
	named  map[string]harness.Dials

	mu    sync.Mutex
	links []harness.Link
}

// NewSet is an empty set on the Toxiproxy whose API is at address. Prepare may be nil.
func NewSet(address string, prepare PrepareLink) *Set {
	return &Set{client: toxiclient.NewClient(address), prepare: prepare, named: map[string]harness.Dials{}}
}

// Open makes a link's proxy: it listens at link.Listen and forwards to upstream.
func (s *Set) Open(link harness.Link, upstream string) error {
	proxy, err := s.client.CreateProxy(link.Proxy, link.Listen, upstream)
	if err != nil {
		return fmt.Errorf("link %s: %w", link.Proxy, err)
	}
	if s.prepare != nil {
		if err := s.prepare(link, proxy); err != nil {
			return fmt.Errorf("prepare link %s: %w", link.Proxy, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links = append(s.links, link)
	s.sort()
	return nil
}

// All lists all links, sorted by proxy name.
func (s *Set) All() []harness.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.links)
}

// Named returns the named client's links, which open makes the first time: they stay good over restarts of the client.
func (s *Set) Named(name string, open func() (harness.Dials, error)) (harness.Dials, error) {
	if err := harness.CheckClientName(name); err != nil {
		return nil, err
	}
	s.making.Lock()
	defer s.making.Unlock()
	if dials, made := s.named[name]; made {
		return maps.Clone(dials), nil
	}
	dials, err := open()
	if err != nil {
		return nil, err
	}
	s.named[name] = dials
	return maps.Clone(dials), nil
}

// Recall is the set of links that the Toxiproxy at address has, which another process made. The proxies' names show
// what they are.
func Recall(address string, prepare PrepareLink) (*Set, error) {
	s := NewSet(address, prepare)
	all, err := s.client.Proxies()
	if err != nil {
		return nil, fmt.Errorf("the proxies of the cluster: %w", err)
	}
	for name, proxy := range all {
		link, err := harness.ParseLink(name)
		if err != nil {
			return nil, err
		}
		link.Listen = proxy.Listen
		s.links = append(s.links, link)
	}
	s.sort()
	return s, nil
}

func (s *Set) sort() {
	slices.SortFunc(s.links, func(a, b harness.Link) int { return strings.Compare(a.Proxy, b.Proxy) })
}
