package toxics

import (
	"context"
	"fmt"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var bandwidthKind = Kind{
	Name:  "bandwidth",
	About: "lets each connection on the target's links pass so many bytes a second; what is more waits",
	Hits:  Brokers | Workers | Service,
	Options: []options.Info{
		directionOption,
		fromOption,
		linksOption("client"),
		{Name: "rate", About: "kilobytes a second, of each connection and direction, 1 to 1000000; 100 unless given"},
	},
	make: newBandwidth,
}

// bandwidth makes links narrow. It bites where more is offered than passes: a backlog is its proof.
type bandwidth struct {
	linkFault
	rate int
}

var _ harness.Fault = bandwidth{}

func newBandwidth(r *options.Reader) harness.Fault {
	return bandwidth{newLinkFault(r, clientLinks), r.Number("rate", 100, 1, 1_000_000)}
}

func (b bandwidth) String() string { return fmt.Sprintf("%d kB/s, %s", b.rate, b.linkFault) }

// leastBacklog is the backlog that counts, in milliseconds of a connection's rate: less may be bytes just passing.
const leastBacklog = 50

func (b bandwidth) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := b.find(ctx, f, selector, anyone)
	if err != nil {
		return nil, err
	}
	return poisoning{
		fault: bandwidthKind.Name, kind: "bandwidth", what: "waiting at one time", counted: stream.held,
		backlog:    int64(b.rate) * leastBacklog,
		attributes: toxiproxy.Attributes{"rate": b.rate},
		asked:      f.Cluster.Info().Nodes,
	}.inject(ctx, f, t, streams)
}
