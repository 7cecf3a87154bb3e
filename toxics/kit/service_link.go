package toxics

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// serviceLinks are the links that the external service has: the one over which all workers call it.
var serviceLinks = []string{string(harness.ServiceLink)}

// linkChoices are the values of the option "links" of faults that the service's link can have, too.
var linkChoices = slices.Concat(linkKinds, serviceLinks)

func (l linkFault) onService() bool { return l.has(harness.ServiceLink) }

// checkService refuses the service's link where anything else is the target, and other links where it is.
func (l linkFault) checkService(s harness.Scope, t Target) error {
	switch {
	case t.Class() == Service && !slices.Equal(l.kinds, serviceLinks):
		return &options.Error{Option: "links", Reason: fmt.Sprintf("%q has one link only: links: %s", t, harness.ServiceLink)}
	case !l.onService():
		return nil
	case t.Class() != Service:
		return &options.Error{Option: "links", Reason: fmt.Sprintf("%s is the link of the target \"external service\", not of %q", harness.ServiceLink, t)}
	case l.from != "":
		return &options.Error{Option: "from", Reason: "all workers call the service over one link"}
	}
	return callsService(s)
}

// callsService refuses an experiment in which nobody calls the service.
func callsService(s harness.Scope) error {
	if !slices.ContainsFunc(s.Pipelines, func(p harness.PipelineInfo) bool { return p.Effects }) {
		return fmt.Errorf("no pipeline of the experiment calls the external service")
	}
	return nil
}

// findService is find for the external service. Whatever becomes of its link concerns every partition.
func (l linkFault) findService(ctx context.Context, f *harness.Field) (found, []stream, error) {
	v, err := look(ctx, f)
	if err != nil {
		return found{}, nil, err
	}
	t := found{view: v, text: "the external service"}
	for p := range int32(f.Plan.Partitions) {
		t.affected = append(t.affected, p)
	}
	link := harness.Link{Kind: harness.ServiceLink, From: "workers", Proxy: harness.ServiceProxy}
	var streams []stream
	for _, up := range []bool{true, false} {
		if crosses(l.direction, up, !up) {
			streams = append(streams, stream{link: link, up: up})
		}
	}
	return t, streams, nil
}
