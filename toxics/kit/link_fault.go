package kit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/target"
)

// LinkFault is what faults on links have in common: which links, which way, and to whom they lead.
type LinkFault struct {
	Kinds     []string
	Direction string
	// From, when set, selects the other ends: only links between them and the target are meant.
	From string
}

// The options of all faults on links.
var (
	DirectionOption = options.Info{Name: "direction", About: "both, to (the target) or from; both unless given"}
	FromOption      = options.Info{Name: "from", About: "a target at the other end: only links between the two are meant; everyone unless given"}
)

// LinksOption describes the option for a fault whose default is given.
func LinksOption(def string) options.Info {
	return options.Info{Name: "links", About: "client, replication, quorum, or a list of them; service for the external service's; " + def + " unless given"}
}

func NewLinkFault(r *options.Reader, kinds []string) LinkFault {
	return LinkFault{
		r.SomeOf("links", kinds, LinkChoices...), r.OneOf("direction", target.BothWays, target.ToTarget, target.FromTarget),
		ReadTarget(r, "from", target.Brokers|target.Workers),
	}
}

func (l LinkFault) Needs() []string {
	if l.onService() {
		return []string{harness.CanLinks, harness.CanService}
	}
	return []string{harness.CanLinks}
}

func (l LinkFault) String() string {
	text := strings.Join(l.Kinds, "+") + " links" + target.DirectionText(l.Direction)
	if l.From != "" {
		text += ", from " + l.From
	}
	return text
}

func (l LinkFault) Has(kind harness.LinkKind) bool { return slices.Contains(l.Kinds, string(kind)) }

// Check refuses links that a worker doesn't have, and other ends that there are not.
func (l LinkFault) Check(s harness.Scope, t target.Target) error {
	if err := l.checkService(s, t); err != nil || l.onService() {
		return err
	}
	if err := l.checkKinds(t); err != nil || l.From == "" {
		return err
	}
	from, err := target.Parse(l.From)
	if err != nil {
		return err
	}
	switch {
	case from.Class() == target.Workers && t.Class() == target.Workers:
		return &options.Error{Option: "from", Reason: "workers have no links to each other"}
	case from.Check(s) != nil:
		return &options.Error{Option: "from", Reason: from.Check(s).Error()}
	}
	return l.checkKinds(from)
}

func (l LinkFault) checkKinds(t target.Target) error {
	if t.Class() == target.Workers && !slices.Equal(l.Kinds, target.ClientLinks) {
		return &options.Error{Option: "links", Reason: fmt.Sprintf("%q has client links only", t)}
	}
	return nil
}

// Find resolves the target, and lists the streams between it and the other ends: those that "from" selects, or all that
// others lets through.
func (l LinkFault) Find(ctx context.Context, f *harness.Field, selector string, others func(target.Side) target.Side) (target.Found, []target.Stream, error) {
	if l.onService() {
		return l.findService(ctx, f)
	}
	t, err := target.FindOnLinks(ctx, f, selector)
	if err != nil {
		return target.Found{}, nil, err
	}
	other := others(t.Side())
	if l.From != "" {
		from, err := target.FindOnLinks(ctx, f, l.From)
		if err != nil {
			return target.Found{}, nil, err
		}
		other = from.Side()
		t.Text += " from " + from.Text
	}
	streams := target.Between(f.Cluster.Links(), l.Kinds, t.Side(), other, l.Direction)
	if len(streams) == 0 {
		return target.Found{}, nil, target.NoLinks(l.String(), t)
	}
	return t, streams, nil
}

// Anyone lets every other end through, also one that the target selects too.
func Anyone(target.Side) target.Side { return target.Everyone }
