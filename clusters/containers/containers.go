// Package containers runs clusters in containers: a network for each node, and one Toxiproxy container that is joined to
// all of them, so that each directed link has a listener of its own. A node's name table names the proxy in its own
// network for every peer; nodes reach each other only through it.
//
// Everything it makes has labels that name the cluster and the process that owns it. A process that was killed can't
// clean up: the next start removes what its clusters left, or Prune does.
package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tclog "github.com/testcontainers/testcontainers-go/log"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/clusters/machine"
	"github.com/chaeos/chaeos/clusters/proxies"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
)

// Name is the provider's registered name.
const Name = "containers"

// readyWithin bounds a start whose spec names no bound.
const readyWithin = time.Minute

// Provider makes clusters of containers.
type Provider struct {
	// Image, if set, is the image to run Kafka from: any with a Java runtime on its path and Kafka's jars in
	// /opt/kafka/libs.
	Image string
	// Binary is this program, linked statically: the proxy image is made of it.
	Binary string
	// Prepare is called with every proxy as it is made; it may be nil.
	Prepare proxies.PrepareLink
	// StateDir is where a detached cluster is recorded, for Attach.
	StateDir string

	cacheDir string
	host     machine.Host
	ports    ports
}

var _ harness.Provider = (*Provider)(nil)

// New returns a provider that keeps formatted storage in cacheDir and makes the proxy image of binary.
func New(cacheDir, binary string) *Provider {
	return &Provider{Binary: binary, cacheDir: cacheDir, StateDir: filepath.Join(cacheDir, "state"), host: machine.This,
		ports: ports{firstPort, lastPort}}
}

// Name returns "containers".
func (p *Provider) Name() string { return Name }

// Start brings a cluster up. Errors to tell apart: *EngineError, *ImageError, *PortError, *machine.MemoryError and
// *StartError.
func (p *Provider) Start(ctx context.Context, s harness.ClusterSpec) (harness.Cluster, error) {
	if s.KafkaHome != "" {
		return nil, errors.New("a Kafka directory can't be run in containers: name an image with --image, or run it with --cluster local")
	}
	if err := errors.Join(s.Topology.Check(), p.host.CheckMemory(s.Topology)); err != nil {
		return nil, err
	}
	if s.Progress == nil {
		s.Progress = func(string) {}
	}
	engine, err := Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.setUpLibrary(ctx, engine, s.Detach); err != nil {
		return nil, err
	}
	if s.Detach {
		if err := p.checkNoneUp(ctx); err != nil {
			return nil, err
		}
	}
	swept, _ := engine.Prune(ctx, false) // what can't be removed now is left for the next start
	for _, l := range swept {
		s.Progress("removed what a killed run left: " + l.String())
	}
	image, err := engine.proxyImageOf(ctx, p.Binary, s.Progress)
	if err != nil {
		return nil, err
	}
	k, err := p.prepare(ctx, engine, s, s.Progress)
	if err != nil {
		return nil, err
	}
	return p.startOn(ctx, engine, s, k, image)
}

// setUpLibrary sets what testcontainers would find out wrongly or do differently. Its reaper, a container that removes what
// a killed process left, is used if its image is there; a cluster that is to stay must not have one.
func (p *Provider) setUpLibrary(ctx context.Context, e *Engine, stays bool) error {
	tclog.SetDefault(tclog.NewNoopLogger())
	set := map[string]string{"DOCKER_HOST": e.Host, "TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1"}
	if _, id, err := e.FindImage(ctx, reaperImage, ""); err != nil || id == "" || stays {
		set["TESTCONTAINERS_RYUK_DISABLED"] = "true"
	}
	for name, value := range set {
		if os.Getenv(name) == "" || stays && name == "TESTCONTAINERS_RYUK_DISABLED" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// reaperImage is the image of testcontainers' reaper in the version that the library asks for.
const reaperImage = "testcontainers/ryuk:0.14.0"

// portTries is how often a start is tried on another block of ports.
const portTries = 3

// startOn starts on a block of ports, and tries another if a port of it is taken meanwhile.
func (p *Provider) startOn(ctx context.Context, e *Engine, s harness.ClusterSpec, k kafka, proxy string) (harness.Cluster, error) {
	within := s.ReadyWithin
	if within == 0 {
		within = readyWithin
	}
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("not ready within %s", within))
	defer cancel()
	for try := 1; ; try++ {
		base, err := p.ports.reserve(e.published)
		if err != nil {
			return nil, err
		}
		c := &cluster{
			id: strings.ToLower(kafkaconf.NewID()), kept: s.Detach, engine: e, kafkaID: kafkaconf.NewID(),
			layout: layout{base: base, published: e.published, topology: s.Topology}, forget: func() error { return nil },
		}
		err = p.bringUp(ctx, c, s, k, proxy)
		if err == nil {
			return c, nil
		}
		err = errors.Join(err, c.Close(ctx))
		if caller.Err() != nil {
			return nil, errors.Join(context.Cause(caller), err)
		}
		if !portTaken(err) || try == portTries {
			return nil, fmt.Errorf("start the cluster: %w", err)
		}
	}
}

func portTaken(err error) bool {
	text := err.Error()
	return strings.Contains(text, "port is already allocated") || strings.Contains(text, "address already in use")
}

// bringUp makes and starts everything; what it made is labelled even if it fails.
func (p *Provider) bringUp(ctx context.Context, c *cluster, s harness.ClusterSpec, k kafka, proxy string) error {
	s.Progress("starting " + s.Topology.String())
	if s.LogDir != "" {
		if err := os.MkdirAll(s.LogDir, 0o755); err != nil {
			return err
		}
	}
	if err := c.openNetworks(ctx); err != nil {
		return err
	}
	c.info = c.describe()
	c.info.Kafka, c.info.Image = k.version, k.name
	c.set = proxies.NewSet(c.layout.api(), p.Prepare)
	err := together.All(
		func() error {
			if err := c.openProxy(ctx, proxy); err != nil {
				return err
			}
			return c.openLinks()
		},
		func() error { return c.createNodes(ctx, k, s.Properties) },
	)
	if err != nil {
		return err
	}
	if err := c.startNodes(ctx, s.LogDir); err != nil {
		return err
	}
	if err := c.awaitReady(ctx); err != nil {
		return err
	}
	if s.Detach {
		c.forget = func() error { return forget(p.StateDir) }
		return saveState(p.StateDir, c.state())
	}
	return nil
}
