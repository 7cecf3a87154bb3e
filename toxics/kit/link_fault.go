package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// linkFault is what faults on links have in common: which links, which way, and to whom they lead.
type linkFault struct {
	kinds     []string
	direction string
	// from, when set, selects the other ends: only links between them and the target are meant.
	from string
}

// The options of all faults on links.
var (
	directionOption = options.Info{Name: "direction", About: "both, to (the target) or from; both unless given"}
	fromOption      = options.Info{Name: "from", About: "a target at the other end: only links between the two are meant; everyone unless given"}
)

// linksOption describes the option for a fault whose default is given.
func linksOption(def string) options.Info {
	return options.Info{Name: "links", About: "client, replication, quorum, or a list of them; service for the external service's; " + def + " unless given"}
}

func newLinkFault(r *options.Reader, kinds []string) linkFault {
	return linkFault{
		r.SomeOf("links", kinds, linkChoices...), r.OneOf("direction", bothWays, toTarget, fromTarget),
		readTarget(r, "from", Brokers|Workers),
	}
}

func (l linkFault) Needs() []string {
	if l.onService() {
		return []string{harness.CanLinks, harness.CanService}
	}
	return []string{harness.CanLinks}
}

func (l linkFault) String() string {
	text := strings.Join(l.kinds, "+") + " links" + directionText(l.direction)
	if l.from != "" {
		text += ", from " + l.from
	}
	return text
}

func (l linkFault) has(kind harness.LinkKind) bool { return slices.Contains(l.kinds, string(kind)) }

// check refuses links that a worker doesn't have, and other ends that there are not.
func (l linkFault) check(s harness.Scope, t Target) error {
	if err := l.checkService(s, t); err != nil || l.onService() {
		return err
	}
	if err := l.checkKinds(t); err != nil || l.from == "" {
		return err
	}
	from, err := ParseTarget(l.from)
	if err != nil {
		return err
	}
	switch {
	case from.Class() == Workers && t.Class() == Workers:
		return &options.Error{Option: "from", Reason: "workers have no links to each other"}
	case from.check(s) != nil:
		return &options.Error{Option: "from", Reason: from.check(s).Error()}
	}
	return l.checkKinds(from)
}

func (l linkFault) checkKinds(t Target) error {
	if t.Class() == Workers && !slices.Equal(l.kinds, clientLinks) {
		return &options.Error{Option: "links", Reason: fmt.Sprintf("%q has client links only", t)}
	}
	return nil
}

// find resolves the target, and lists the streams between it and the other ends: those that "from" selects, or all that
// others lets through.
func (l linkFault) find(ctx context.Context, f *harness.Field, selector string, others func(side) side) (found, []stream, error) {
	if l.onService() {
		return l.findService(ctx, f)
	}
	t, err := findOnLinks(ctx, f, selector)
	if err != nil {
		return found{}, nil, err
	}
	other := others(t.side())
	if l.from != "" {
		from, err := findOnLinks(ctx, f, l.from)
		if err != nil {
			return found{}, nil, err
		}
		other = from.side()
		t.text += " from " + from.text
	}
	streams := between(f.Cluster.Links(), l.kinds, t.side(), other, l.direction)
	if len(streams) == 0 {
		return found{}, nil, noLinks(l.String(), t)
	}
	return t, streams, nil
}

// anyone lets every other end through, also one that the target selects too.
func anyone(side) side { return everyone }
