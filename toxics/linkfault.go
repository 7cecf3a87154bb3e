package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
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
	directionOption = OptionInfo{"direction", "both, to (the target) or from; both unless given"}
	fromOption      = OptionInfo{"from", "a target at the other end: only links between the two are meant; everyone unless given"}
)

// linksOption describes the option for a fault whose default is given.
func linksOption(def string) OptionInfo {
	return OptionInfo{"links", "client, replication, quorum, or a list of them; service for the external service's; " + def + " unless given"}
}

func newLinkFault(r *reader, kinds []string) linkFault {
	return linkFault{
		r.someOf("links", kinds, linkChoices...), r.OneOf("direction", bothWays, toTarget, fromTarget),
		r.target("from", Brokers|Workers),
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
func (l linkFault) check(s Scope, t Target) error {
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
		return &OptionError{Option: "from", Reason: "workers have no links to each other"}
	case from.check(s) != nil:
		return &OptionError{Option: "from", Reason: from.check(s).Error()}
	}
	return l.checkKinds(from)
}

func (l linkFault) checkKinds(t Target) error {
	if t.Class() == Workers && !slices.Equal(l.kinds, linkKinds[:1]) {
		return &OptionError{Option: "links", Reason: fmt.Sprintf("%q has client links only", t)}
	}
	return nil
}

// find resolves the target, and lists the streams between it and the other ends: those that "from" selects, or all that
// others lets through.
func (l linkFault) find(ctx context.Context, f *harness.Field, target string, others func(side) side) (found, []stream, error) {
	if l.onService() {
		return l.findService(ctx, f)
	}
	t, err := findOnLinks(ctx, f, target)
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
		if out.members, err = t.findWorkers(ctx, f, living); err != nil {
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
	// human writes a count with its unit, bytes unless given.
	human func(int64) string
	// whileActive says that bytes count until the heal, not after it.
	whileActive bool
	// backlog, when set, makes the largest count that was seen at one time the proof: of streams that reached so much.
	backlog int64
	// asked are the brokers that are asked for leaders meanwhile.
	asked []int
}

// inject puts the toxic on every stream and starts to watch.
func (p poisoning) inject(ctx context.Context, f *harness.Field, t found, streams []stream) (harness.Injection, error) {
	bytes, err := newTally(ctx, f, streams, p.counted)
	if err != nil {
		return nil, err
	}
	if p.human != nil {
		bytes.human = p.human
	}
	i := newInjection(f, harness.Resolved{
		Text: t.text, Brokers: t.brokers, Members: t.members, Links: proxiesOf(streams), Partitions: t.affected,
	})
	named := newToxicName(p.fault)
	i.expect(fmt.Sprintf("no toxic left on %d links", len(i.resolved.Links)), toxicsGone(f, named))
	if err := poison(ctx, f, &i.undo, named, p.kind, p.attributes, streams); err != nil {
		return i, err
	}
	if p.backlog > 0 {
		i.keep(ctx, func(ctx context.Context) error {
			return wait.Poll(ctx, watchEvery, func() (bool, error) { bytes.peak(ctx, f, p.backlog); return false, nil })
		})
	} else if p.whileActive {
		i.before = func(ctx context.Context) { bytes.count(ctx, f) }
	}
	members := f.Fleet.Members()
	i.gather = func(ctx context.Context) evidence {
		if !p.whileActive && p.backlog == 0 {
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
// its partitions; the quorum links of a broker that leads some, or of a controller that is no broker.
func (t found) matters(s stream, l harness.PipelineLayout, members []harness.Member) bool {
	switch s.link.Kind {
	case harness.ClientLink: // where no run plays, nobody knows whose a client's link is
		return len(members) == 0 || slices.ContainsFunc(members, func(m harness.Member) bool {
			return m.Name == s.link.From && m.Pipeline == l.Name
		})
	case harness.ServiceLink:
		return l.Effects
	case harness.ReplicationLink:
		return len(t.view.ledBy([]int{s.link.To}, t.view.topicsRead(l)...)) > 0
	case harness.QuorumLink:
		ends := []int{s.link.To, dialler(s.link).node}
		hit := slices.DeleteFunc(ends, func(n int) bool { return !slices.Contains(t.brokers, n) })
		return len(t.view.ledBy(hit, t.view.topicsRead(l)...)) > 0 || len(without(hit, t.view.nodes)) > 0
	}
	return false
}

func noLinks(what string, t found) error {
	return fmt.Errorf("%s of %s: the cluster has no such link", what, t.text)
}
