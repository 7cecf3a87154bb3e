package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
)

// linkFault is what faults on links have in common: which links, and which way.
type linkFault struct {
	kinds     []string
	direction string
}

func (linkFault) Needs() []string { return []string{"links"} }

func (l linkFault) String() string {
	return strings.Join(l.kinds, "+") + " links" + directionText(l.direction)
}

func (l linkFault) has(kind harness.LinkKind) bool { return slices.Contains(l.kinds, string(kind)) }

// check refuses links that a worker doesn't have.
func (l linkFault) check(_ Scope, t Target) error {
	if t.Class() == Workers && !slices.Equal(l.kinds, linkKinds[:1]) {
		return &OptionError{Option: "links", Reason: fmt.Sprintf("%q has client links only", t)}
	}
	return nil
}

// found is a target of a fault on links.
type found struct {
	view    view
	brokers []int
	members []string
	// affected are the partitions led by the brokers or held by the workers.
	affected []int32
	text     string
}

// findOnLinks resolves a target that may select brokers or workers.
func findOnLinks(ctx context.Context, f *harness.Field, target string) (found, error) {
	t, err := ParseTarget(target)
	if err != nil {
		return found{}, err
	}
	out := found{}
	if out.view, err = look(ctx, f); err != nil {
		return found{}, err
	}
	if t.Class() == Workers {
		if out.members, err = t.findWorkers(ctx, f); err != nil {
			return found{}, err
		}
		out.affected, out.text = heldBy(f, out.members), strings.Join(out.members, ", ")
		return out, nil
	}
	if out.brokers, err = t.findBrokers(out.view); err != nil {
		return found{}, err
	}
	out.affected = out.view.ledBy(out.brokers, topicsOf(f.Plan)...)
	out.text = out.view.describeAll(out.brokers)
	return out, nil
}

func (t found) side() side {
	if len(t.members) > 0 {
		return clientsIn(t.members)
	}
	return nodesIn(t.brokers)
}

// heldBy lists the partitions that workers hold now.
func heldBy(f *harness.Field, names []string) []int32 {
	held := map[int32]bool{}
	for _, m := range f.Fleet.Members() {
		if slices.Contains(names, m.Name) {
			for _, p := range m.Partitions {
				held[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(held))
}

// poisoning is a toxic to be put on the streams of a fault.
type poisoning struct {
	fault, kind string
	attributes  toxiproxy.Attributes
	// what happened to the bytes that count as proof: "cut" or "delayed".
	what    string
	counted func(stream, harness.LinkBytes) int64
	// whileActive says that bytes count until the heal, not after it.
	whileActive bool
	// asked are the brokers that are asked for leaders meanwhile.
	asked []int
}

// inject puts the toxic on every stream and starts to watch.
func (p poisoning) inject(ctx context.Context, f *harness.Field, t found, streams []stream) (harness.Injection, error) {
	bytes, err := newTally(ctx, f, streams, p.counted)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, harness.Resolved{
		Text: t.text, Brokers: t.brokers, Members: t.members, Links: proxiesOf(streams), Partitions: t.affected,
	})
	named := newToxicName(p.fault)
	i.expect(fmt.Sprintf("no toxic left on %d links", len(i.resolved.Links)), toxicsGone(f, named))
	if err := poison(ctx, f, &i.undo, named, p.kind, p.attributes, streams); err != nil {
		return i, err
	}
	if p.whileActive {
		i.before = func(ctx context.Context) { bytes.count(ctx, f) }
	}
	members := f.Fleet.Members()
	i.gather = func(ctx context.Context) evidence {
		if !p.whileActive {
			bytes.settle(ctx, f)
		}
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := bytes.of(p.what, func(s stream) bool { return t.matters(s, l, members) })
			return proof + i.watch.movesOf(l.Name), hit
		}
	}
	i.began(ctx, t.view, p.asked)
	return i, nil
}

// matters says whether what flows in a stream concerns a pipeline: its own members' links; replication from a leader of
// its partitions; the quorum links of a broker that leads some.
func (t found) matters(s stream, l harness.PipelineLayout, members []harness.Member) bool {
	switch s.link.Kind {
	case harness.ClientLink:
		return slices.ContainsFunc(members, func(m harness.Member) bool {
			return m.Name == s.link.From && m.Pipeline == l.Name
		})
	case harness.ReplicationLink:
		return len(t.view.ledBy([]int{s.link.To}, t.view.topicsRead(l)...)) > 0
	case harness.QuorumLink:
		ends := []int{s.link.To, dialler(s.link).node}
		hit := slices.DeleteFunc(ends, func(n int) bool { return !slices.Contains(t.brokers, n) })
		return len(t.view.ledBy(hit, t.view.topicsRead(l)...)) > 0
	}
	return false
}

func noLinks(what string, t found) error {
	return fmt.Errorf("%s of %s: the cluster has no such link", what, t.text)
}
