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

// LinkFault is what faults on links have in common: which links, in which direction, and between which ends.
type LinkFault struct {
	Kinds     []string
	Direction string
	// From, if set, is the target at the other end: only links between the two are meant.
	From string
}

// The options that faults on links share.
var (
	DirectionOption = options.Info{Name: "direction", About: "both, to (the target) or from; default both"}
	FromOption      = options.Info{Name: "from", About: "a target at the other end: only links between the two are meant; default everyone"}
)

// LinksOption describes the option "links" of a fault with the given default.
func LinksOption(def string) options.Info {
	return options.Info{Name: "links", About: "client, replication, quorum, or a list of them; service for the external service's; default " + def}
}

// NewLinkFault reads the options; the given kinds are the default.
func NewLinkFault(r *options.Reader, kinds []string) LinkFault {
	return LinkFault{
		r.SomeOf("links", kinds, LinkChoices...), r.OneOf("direction", target.BothWays, target.ToTarget, target.FromTarget),
		ReadTarget(r, "from", target.Brokers|target.Workers),
	}
}

// Needs lists what a provider must be able to do.
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

// Has reports whether links of a kind are meant.
func (l LinkFault) Has(kind harness.LinkKind) bool { return slices.Contains(l.Kinds, string(kind)) }

// Check returns an error if the target doesn't have such links, or the other end is none.
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

// Find resolves the target, and lists the streams between it and the other ends: those that "from" selects, or else those that
// others makes of the target's own side.
func (l LinkFault) Find(
	ctx context.Context, f *harness.Field, selector string, others func(target.Side) target.Side,
) (target.Found, []target.Stream, error) {
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

// Anyone makes every end another end, also one that the target selects.
func Anyone(target.Side) target.Side { return target.Everyone }
