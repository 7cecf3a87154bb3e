// Package local runs clusters as processes of this machine: three brokers from Kafka's own jars behind an embedded
// Toxiproxy, owned by a keeper process that cleans up after a harness that was killed.
//
// The path of a start: Provider.Start finds Java, the jars, a formatted bootstrap.checkpoint and a class data sharing
// archive (the last three in a cache), hands them to a keeper as a plan, and follows its events until it is ready.
// RunKeeper is the other side.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/clusters/machine"
	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
)

// Name is the provider's registered name.
const Name = "local"

// readyWithin bounds a start whose spec names no bound.
const readyWithin = time.Minute

var logConfig = kafkaconf.LogConfig

// Provider makes clusters of local processes.
type Provider struct {
	cacheDir string
	keeper   []string
	// StateDir is where a detached cluster is recorded, for Attach.
	StateDir string
}

var _ harness.Provider = (*Provider)(nil)

// New returns a provider that keeps what it fetches and prepares in cacheDir, and runs keeperCommand to get a process
// that calls RunKeeper with its standard input and output.
func New(cacheDir string, keeperCommand []string) *Provider {
	return &Provider{cacheDir: cacheDir, keeper: keeperCommand, StateDir: filepath.Join(cacheDir, "state")}
}

// Name returns "local".
func (p *Provider) Name() string { return Name }

// Start brings a cluster up. Errors to tell apart: *MissingToolError, *FetchError and *StartError.
func (p *Provider) Start(ctx context.Context, spec harness.ClusterSpec) (harness.Cluster, error) {
	if spec.Detach {
		if err := p.checkNoneUp(ctx); err != nil {
			return nil, err
		}
	}
	progress := spec.Progress
	if progress == nil {
		progress = func(string) {}
	}
	plan, err := p.plan(ctx, spec, progress)
	if err != nil {
		return nil, err
	}
	keeper, d, err := startKeeper(ctx, p.keeper, plan, progress)
	if err != nil {
		return nil, err
	}
	if spec.Detach {
		return p.detach(ctx, keeper, d)
	}
	return newCluster(d, keeper, func() error { return nil }), nil
}

// plan prepares what the brokers run from.
func (p *Provider) plan(ctx context.Context, spec harness.ClusterSpec, progress func(string)) (plan, error) {
	if err := files.MakePrivate(p.cacheDir); err != nil {
		return plan{}, fmt.Errorf("the cache of jars (CHAEOS_CACHE names another): %w", err)
	}
	if err := errors.Join(spec.Topology.Check(), machine.This.CheckMemory(spec.Topology)); err != nil {
		return plan{}, err
	}
	made := plan{Topology: spec.Topology, Properties: spec.Properties, LogDir: spec.LogDir, RuntimeRoot: scratch.Root(), ReadyWithin: spec.ReadyWithin}
	if made.ReadyWithin == 0 {
		made.ReadyWithin = readyWithin
	}
	if made.LogDir == "" && spec.Detach {
		made.LogDir = filepath.Join(p.StateDir, "logs")
	}
	if made.LogDir == "" {
		return plan{}, errors.New("a cluster needs a folder for its logs")
	}
	var err error
	if made.LogDir, err = filepath.Abs(made.LogDir); err != nil {
		return plan{}, err
	}
	if err := os.MkdirAll(made.LogDir, 0o755); err != nil {
		return plan{}, err
	}
	made.Kafka, err = p.prepareKafka(ctx, spec, progress)
	return made, err
}

func (p *Provider) prepareKafka(ctx context.Context, spec harness.ClusterSpec, progress func(string)) (kafka, error) {
	runtime, err := findJava(ctx)
	if err != nil {
		return kafka{}, err
	}
	k := kafka{Java: runtime.path}
	if k.Jars, k.Version, err = p.findJars(ctx, spec.Kafka, spec.KafkaHome, progress); err != nil {
		return kafka{}, err
	}
	if k.Bootstrap, err = p.format(ctx, k, spec.Features); err != nil {
		return kafka{}, err
	}
	archive, err := p.archive(ctx, k, runtime.version, progress)
	if err != nil {
		if ctx.Err() != nil {
			return kafka{}, context.Cause(ctx)
		}
		// They start slower, and run the same.
		slog.Warn("brokers start without a class data archive", "error", err)
	}
	k.Archive = archive
	return k, nil
}

// detach records the cluster and lets its keeper outlive this process.
func (p *Provider) detach(ctx context.Context, keeper *child, d description) (harness.Cluster, error) {
	c := newCluster(d, keeper, func() error { return forget(p.StateDir) })
	if err := saveState(p.StateDir, d); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	if _, err := keeper.stdin.Write([]byte(detachWord)); err != nil {
		return nil, errors.Join(fmt.Errorf("detach the keeper: %w", err), c.Close(ctx))
	}
	keeper.release()
	return c, nil
}
