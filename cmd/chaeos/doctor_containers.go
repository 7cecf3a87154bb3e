package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/chaeos/chaeos/clusters/containers"
)

// containerFacts are what clusters of containers need: an engine, and an image that is there or may be pulled.
func containerFacts(ctx context.Context, kafka string) []fact {
	engine, err := containers.Connect(ctx)
	if err != nil {
		return grounded(containers.Name, noEngine(err), fact{Name: "image", Optional: true, Found: "no engine to look in"}, programFact())
	}
	defer func() { _ = engine.Close() }()
	found := fact{Name: "engine", OK: true, Found: fmt.Sprintf("%s at %s", engine.Version, engine.Host)}
	return grounded(containers.Name, found, imageFact(ctx, engine, kafka), programFact())
}

func noEngine(err error) fact {
	f := fact{Name: "engine", Found: err.Error()}
	var none *containers.EngineError
	if errors.As(err, &none) {
		f.Found, f.Mend = none.Found(), none.Do
	}
	return f
}

// imageFact looks for an image to run Kafka from. One that is not there may be pulled: nobody knows before.
func imageFact(ctx context.Context, engine *containers.Engine, kafka string) fact {
	f := fact{Name: "image", Optional: true, Mend: "make images"}
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

// programFact says whether the proxy image can be made of this program.
func programFact() fact {
	f := fact{Name: "program", Mend: "make build", Found: "linked statically: the proxy image can be made of it"}
	if err := containers.CheckProgram(executable()); err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Mend = true, ""
	return f
}
