package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/clusters/containers"
	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
)

// containersKind runs Kafka from an image, in containers.
func containersKind() Kind {
	return Kind{
		name: containers.Name, runs: "Kafka from an image (name one with --image)", abilities: containers.Abilities(),
		flag: "image", flagSays: "an image was named with --image", taken: "where a container engine answers",
		lacking: "no container engine answers", find: findEngine,
		new: func(r Request, self []string) harness.Provider {
			p := containers.New(local.DefaultCache(), self[0])
			p.Image, p.Prepare = r.Image, PrepareLink
			return p
		},
		attach: func(ctx context.Context) (harness.Cluster, error) {
			return containers.Attach(ctx, local.DefaultState(), PrepareLink)
		},
		prune: pruneContainers,
		facts: containerFacts,
	}
}

func findEngine(ctx context.Context) (string, error) {
	engine, err := containers.Connect(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = engine.Close() }()
	return fmt.Sprintf("the container engine %s answers", engine.Version), nil
}

func pruneContainers(ctx context.Context, all bool) (removed []string, err error) {
	engine, err := containers.Connect(ctx)
	var none *containers.EngineError
	if errors.As(err, &none) { // without an engine nothing of ours can be there
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }()
	swept, err := engine.Prune(ctx, all)
	for _, l := range swept {
		removed = append(removed, l.String())
	}
	return removed, err
}

// containerFacts are what clusters of containers need: an engine, and an image that is there or may be pulled.
func containerFacts(ctx context.Context, m Machine) []Fact {
	engine, err := containers.Connect(ctx)
	if err != nil {
		return []Fact{noEngine(err), {Name: "image", Optional: true, Found: "no engine to look in"}, programFact(m)}
	}
	defer func() { _ = engine.Close() }()
	found := Fact{Name: "engine", OK: true, Found: fmt.Sprintf("%s at %s", engine.Version, engine.Host)}
	return []Fact{found, imageFact(ctx, engine, m.Kafka), programFact(m)}
}

func noEngine(err error) Fact {
	f := Fact{Name: "engine", Found: err.Error()}
	var none *containers.EngineError
	if errors.As(err, &none) {
		f.Found, f.Mend = none.Found(), none.Do
	}
	return f
}

// imageFact looks for an image to run Kafka from. One that is not there may be pulled: the first run shows it.
func imageFact(ctx context.Context, engine *containers.Engine, kafka string) Fact {
	f := Fact{Name: "image", Optional: true, Mend: "make images"}
	name, id, err := engine.FindImage(ctx, "", kafka)
	switch {
	case err != nil:
		f.Found = err.Error()
	case id == "":
		f.Found = "none of Kafka " + kafka + " is there: the first run pulls one, if it can"
	default:
		f.OK, f.Found, f.Optional, f.Mend = true, name, false, ""
	}
	return f
}

// programFact reports whether the proxy image can be made of this program.
func programFact(m Machine) Fact {
	f := Fact{Name: "program", Mend: "make build", Found: "linked statically: the proxy image can be made of it"}
	if err := containers.CheckProgram(m.Binary); err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Mend = true, ""
	return f
}
