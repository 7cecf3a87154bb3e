package toxics

import (
	"context"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var partitionKind = kit.Kind{
	Name:  "partition",
	About: "cuts the target off: bytes vanish, connections stay open; the heal resets them",
	Hits:  target.Brokers | target.Workers | target.Service,
	Options: []options.Info{
		{Name: "direction", About: "both, to (nothing reaches the target) or from (the target reaches no other); default both"},
		{Name: "from", About: "another target to be cut off from; default: all others"},
		kit.LinksOption("replication and quorum"),
	},
	Make: newPartition,
}

// partition is a black hole on links. "i cannot reach j" drops the bytes from i to j on both links between them: upstream on the
// link that i dials, downstream on the other.
type partition struct{ kit.LinkFault }

var _ harness.Fault = partition{}

func newPartition(r *options.Reader) harness.Fault {
	return partition{kit.NewLinkFault(r, target.NodeLinks)}
}

func (p partition) Check(s harness.Scope, t target.Target) error {
	if p.From == "" && t.AllBrokers() && !p.Has(harness.ClientLink) {
		return &options.Error{Option: "links", Reason: "all brokers leave no broker to be cut off from"}
	}
	return p.LinkFault.Check(s, t)
}

func (p partition) OutOfQuorum() bool { return p.Has(harness.QuorumLink) }

// Inject cuts the target off from everyone else, or from another target.
func (p partition) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := p.Find(ctx, f, selector, target.Not)
	if err != nil {
		return nil, err
	}
	return kit.Poisoning{
		Fault: partitionKind.Name, Kind: "timeout", What: "cut", Counted: target.Stream.Held,
		Attributes: toxiproxy.Attributes{"timeout": 0},
		Asked:      target.Without(f.Cluster.Info().Nodes, t.Brokers),
	}.Inject(ctx, f, t, streams)
}
