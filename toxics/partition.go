package toxics

import (
	"context"
	"fmt"
	"slices"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
)

var partitionKind = Kind{
	Name:  "partition",
	About: "cuts the target off: bytes vanish, connections stay open; healing resets them",
	Hits:  Brokers | Workers,
	Options: []OptionInfo{
		{"direction", "both, to (nothing reaches the target) or from (the target reaches nobody); both unless given"},
		{"from", "another target to be cut off from; everyone else unless given"},
		{"links", "client, replication, quorum, or a list of them; replication and quorum unless given"},
	},
	make: newPartition,
}

// partition is a black hole on links. "i cannot reach j" drops the bytes from i to j on both links between them: upstream
// on the one that i dials, downstream on the other.
type partition struct {
	linkFault
	from string
}

var _ harness.Fault = partition{}

func newPartition(r *reader) harness.Fault {
	p := partition{
		linkFault{r.someOf("links", linkKinds[1:], linkKinds...), r.oneOf("direction", bothWays, toTarget, fromTarget)},
		r.text("from", ""),
	}
	if p.from != "" {
		if _, err := ParseTarget(p.from); err != nil {
			r.fail("from", "%v", err)
		}
	}
	return p
}

func (p partition) String() string {
	if p.from != "" {
		return fmt.Sprintf("%s, from %s", p.linkFault, p.from)
	}
	return p.linkFault.String()
}

func (p partition) check(s Scope, t Target) error {
	if err := p.linkFault.check(s, t); err != nil {
		return err
	}
	if p.from == "" {
		if t.form.syntax == allBrokersSyntax && !p.has(harness.ClientLink) {
			return &OptionError{Option: "links", Reason: "all brokers leave no broker to be cut off from"}
		}
		return nil
	}
	from, err := ParseTarget(p.from)
	if err != nil {
		return err
	}
	switch {
	case from.Class() == Workers && t.Class() == Workers:
		return &OptionError{Option: "from", Reason: "workers have no links to each other"}
	case from.check(s) != nil:
		return &OptionError{Option: "from", Reason: from.check(s).Error()}
	}
	return p.linkFault.check(s, from)
}

func (p partition) outOfQuorum() bool { return p.has(harness.QuorumLink) }

// Inject cuts the target off from everyone else, or from another target.
func (p partition) Inject(ctx context.Context, f *harness.Field, target string) (harness.Injection, error) {
	t, err := findOnLinks(ctx, f, target)
	if err != nil {
		return nil, err
	}
	other, text := not(t.side()), ""
	if p.from != "" {
		from, err := findOnLinks(ctx, f, p.from)
		if err != nil {
			return nil, err
		}
		other, text = from.side(), " from "+from.text
	}
	streams := between(f.Cluster.Links(), p.kinds, t.side(), other, p.direction)
	if len(streams) == 0 {
		return nil, noLinks(p.linkFault.String(), t)
	}
	t.text += text
	return poisoning{
		fault: partitionKind.Name, kind: "timeout", what: "cut", counted: stream.held,
		attributes: toxiproxy.Attributes{"timeout": 0},
		asked:      without(f.Cluster.Info().Nodes, t.brokers),
	}.inject(ctx, f, t, streams)
}

// without lists the nodes that aren't in the second list.
func without(nodes, hit []int) []int {
	return slices.DeleteFunc(slices.Clone(nodes), func(n int) bool { return slices.Contains(hit, n) })
}
