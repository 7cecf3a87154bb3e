package toxics

import (
	"context"
	"fmt"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var bandwidthKind = kit.Kind{
	Name:  "bandwidth",
	About: "limits each connection on the target's links to a rate; excess bytes wait",
	Hits:  target.Brokers | target.Workers | target.Service,
	Options: []options.Info{
		kit.DirectionOption,
		kit.FromOption,
		kit.LinksOption("client"),
		{Name: "rate", About: "kilobytes per second, for each connection and direction, 1 to 1000000; default 100"},
	},
	Make: newBandwidth,
}

// bandwidth makes links narrow. It takes effect if more is offered than passes: a backlog is its proof.
type bandwidth struct {
	kit.LinkFault
	rate int
}

var _ harness.Fault = bandwidth{}

func newBandwidth(r *options.Reader) harness.Fault {
	return bandwidth{kit.NewLinkFault(r, target.ClientLinks), r.Number("rate", 100, 1, 1_000_000)}
}

func (b bandwidth) String() string { return fmt.Sprintf("%d kB/s, %s", b.rate, b.LinkFault) }

// leastBacklog is the smallest backlog that counts, in milliseconds of a connection's rate: less may be bytes just passing.
const leastBacklog = 50

func (b bandwidth) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := b.Find(ctx, f, selector, kit.Anyone)
	if err != nil {
		return nil, err
	}
	return kit.Poisoning{
		Fault: bandwidthKind.Name, Kind: "bandwidth", What: "waiting at one time", Counted: target.Stream.Held,
		Backlog:    int64(b.rate) * leastBacklog,
		Attributes: toxiproxy.Attributes{"rate": b.rate},
		Asked:      f.Cluster.Info().Nodes,
	}.Inject(ctx, f, t, streams)
}
