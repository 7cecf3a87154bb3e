package kit

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/target"
)

// serviceLinks are the links that the external service has: the one over which all workers call it.
var serviceLinks = []string{string(harness.ServiceLink)}

// LinkChoices are the values of the option "links" for faults that can be on the service's link, too.
var LinkChoices = slices.Concat(target.LinkKinds, serviceLinks)

func (l LinkFault) onService() bool { return l.Has(harness.ServiceLink) }

// checkService returns an error if the service's link is meant and the service is not the target, or the other way round.
func (l LinkFault) checkService(s harness.Scope, t target.Target) error {
	switch {
	case t.Class() == target.Service && !slices.Equal(l.Kinds, serviceLinks):
		return &options.Error{Option: "links", Reason: fmt.Sprintf("%q has one link only: links: %s", t, harness.ServiceLink)}
	case !l.onService():
		return nil
	case t.Class() != target.Service:
		return &options.Error{Option: "links", Reason: fmt.Sprintf("%s is the link of the target \"external service\", not of %q", harness.ServiceLink, t)}
	case l.From != "":
		return &options.Error{Option: "from", Reason: "all workers call the service over one link"}
	}
	return CallsService(s)
}

// CallsService returns an error if no pipeline of the experiment calls the external service.
func CallsService(s harness.Scope) error {
	if !slices.ContainsFunc(s.Pipelines, func(p harness.PipelineInfo) bool { return p.Effects }) {
		return fmt.Errorf("no pipeline of the experiment calls the external service")
	}
	return nil
}

// findService is Find for the external service. What becomes of its link concerns every partition.
func (l LinkFault) findService(ctx context.Context, f *harness.Field) (target.Found, []target.Stream, error) {
	v, err := target.Look(ctx, f)
	if err != nil {
		return target.Found{}, nil, err
	}
	t := target.Found{View: v, Text: "the external service"}
	for p := range int32(f.Plan.Partitions) {
		t.Affected = append(t.Affected, p)
	}
	link := harness.Link{Kind: harness.ServiceLink, From: "workers", Proxy: harness.ServiceProxy}
	var streams []target.Stream
	for _, up := range []bool{true, false} {
		if target.Crosses(l.Direction, up, !up) {
			streams = append(streams, target.Stream{Link: link, Up: up})
		}
	}
	return t, streams, nil
}
