package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/clusters/containers"
	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
)

// autoCluster stands for the first kind of cluster that this machine can run.
const autoCluster = "auto"

// providerNames are the kinds of clusters there are, the default first.
func providerNames() []string { return []string{autoCluster, local.Name, containers.Name} }

// ground says which kind of cluster to start, and what of.
type ground struct{ cluster, image, kafkaHome string }

// choice is the kind of cluster that was chosen, and why where nobody named it.
type choice struct {
	provider harness.Provider
	why      string
}

// choose returns the provider that is named; auto takes local where a JDK is found, else containers.
func choose(ctx context.Context, g ground, self []string) (choice, error) {
	switch g.cluster {
	case local.Name:
		return choice{provider: newLocal(self)}, nil
	case containers.Name:
		return choice{provider: newContainers(g, self)}, nil
	case autoCluster:
		return automatic(ctx, g, self)
	default:
		return choice{}, unknown("kind of cluster", g.cluster, providerNames())
	}
}

func automatic(ctx context.Context, g ground, self []string) (choice, error) {
	if g.image != "" {
		return choice{newContainers(g, self), "an image was named with --image"}, nil
	}
	java, noJava := local.FindJava(ctx)
	if noJava == nil {
		return choice{newLocal(self), "Java " + java + " is on this machine"}, nil
	}
	if g.kafkaHome != "" {
		return choice{}, noJava
	}
	engine, noEngine := containers.Connect(ctx)
	if noEngine == nil {
		defer func() { _ = engine.Close() }()
		return choice{newContainers(g, self), fmt.Sprintf("there is no Java runtime, and the container engine %s answers", engine.Version)}, nil
	}
	return choice{}, fmt.Errorf("this machine can run no cluster:\n%w", errors.Join(noJava, noEngine))
}

func newLocal(self []string) harness.Provider {
	return local.New(local.DefaultCache(), []string{self[0], keeperCommand})
}

func newContainers(g ground, self []string) harness.Provider {
	p := containers.New(local.DefaultCache(), self[0])
	p.Image, p.Prepare = g.image, prepareLink
	return p
}

// announce tells which kind of cluster was taken where nobody named one.
func (c choice) announce(tell func(string)) {
	if c.why != "" {
		tell(strings.TrimSpace(fmt.Sprintf("cluster %s: took %s (%s)", autoCluster, c.provider.Name(), c.why)))
	}
}
