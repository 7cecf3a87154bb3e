package toxics

import (
	"context"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var resetKind = Kind{
	Name: "reset",
	About: "ends every connection on the target's links as soon as it carries a byte, and that byte with it; whoever dials " +
		"again is ended again",
	Hits:    Brokers | Workers | Service,
	Options: []options.Info{directionOption, fromOption, linksOption("client")},
	make:    func(r *options.Reader) harness.Fault { return reset{newLinkFault(r, clientLinks)} },
}

// reset breaks connections. Peers of those that were open see an end of file, those of new ones a reset: Toxiproxy sets
// its linger option only on connections that it accepts later.
type reset struct{ linkFault }

var _ harness.Fault = reset{}

func (r reset) outOfQuorum() bool { return r.has(harness.QuorumLink) }

func (r reset) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := r.find(ctx, f, selector, anyone)
	if err != nil {
		return nil, err
	}
	return poisoning{
		fault: resetKind.Name, kind: "reset_peer", what: "ended", counted: stream.ended, human: humanEnds, whileActive: true,
		attributes: toxiproxy.Attributes{"timeout": 0},
		asked:      without(f.Cluster.Info().Nodes, t.brokers),
	}.inject(ctx, f, t, streams)
}
