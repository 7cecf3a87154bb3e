package toxics

import (
	"context"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var resetKind = kit.Kind{
	Name: "reset",
	About: "ends every connection on the target's links as soon as it carries a byte, and loses that byte; new " +
		"connections, too",
	Hits:    target.Brokers | target.Workers | target.Service,
	Options: []options.Info{kit.DirectionOption, kit.FromOption, kit.LinksOption("client")},
	Make:    func(r *options.Reader) harness.Fault { return reset{kit.NewLinkFault(r, target.ClientLinks)} },
}

// reset breaks connections. Peers of connections that were open see an end of file, those of new ones a reset: Toxiproxy sets its
// linger option only on connections that it accepts later.
type reset struct{ kit.LinkFault }

var _ harness.Fault = reset{}

func (r reset) OutOfQuorum() bool { return r.Has(harness.QuorumLink) }

func (r reset) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := r.Find(ctx, f, selector, kit.Anyone)
	if err != nil {
		return nil, err
	}
	return kit.Poisoning{
		Fault: resetKind.Name, Kind: "reset_peer", What: "ended", Counted: target.Stream.Ended, Human: inject.HumanEnds, WhileActive: true,
		Attributes: toxiproxy.Attributes{"timeout": 0},
		Asked:      target.Without(f.Cluster.Info().Nodes, t.Brokers),
	}.Inject(ctx, f, t, streams)
}
