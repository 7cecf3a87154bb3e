package toxics

import (
	"context"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var partitionKind = Kind{
	Name:  "partition",
	About: "cuts the target off: bytes vanish, connections stay open; healing resets them",
	Hits:  Brokers | Workers | Service,
	Options: []options.Info{
		{Name: "direction", About: "both, to (nothing reaches the target) or from (the target reaches nobody); both unless given"},
		{Name: "from", About: "another target to be cut off from; everyone else unless given"},
		linksOption("replication and quorum"),
	},
	make: newPartition,
}

// partition is a black hole on links. "i cannot reach j" drops the bytes from i to j on both links between them: upstream
// on the one that i dials, downstream on the other.
type partition struct{ linkFault }

var _ harness.Fault = partition{}

func newPartition(r *options.Reader) harness.Fault { return partition{newLinkFault(r, nodeLinks)} }

func (p partition) check(s harness.Scope, t Target) error {
	if p.from == "" && t.allBrokers() && !p.has(harness.ClientLink) {
		return &options.Error{Option: "links", Reason: "all brokers leave no broker to be cut off from"}
	}
	return p.linkFault.check(s, t)
}

func (p partition) outOfQuorum() bool { return p.has(harness.QuorumLink) }

// Inject cuts the target off from everyone else, or from another target.
func (p partition) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := p.find(ctx, f, selector, not)
	if err != nil {
		return nil, err
	}
	return poisoning{
		fault: partitionKind.Name, kind: "timeout", what: "cut", counted: stream.held,
		attributes: toxiproxy.Attributes{"timeout": 0},
		asked:      without(f.Cluster.Info().Nodes, t.brokers),
	}.inject(ctx, f, t, streams)
}
