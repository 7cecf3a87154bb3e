package toxics

import (
	"context"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var latencyKind = kit.Kind{
	Name:  "latency",
	About: "delays every byte on the target's links; in both directions, a round trip is delayed twice",
	Hits:  target.Brokers | target.Workers | target.Service,
	Options: []options.Info{
		kit.DirectionOption,
		kit.FromOption,
		{Name: "latency", About: "how long bytes are delayed, 1ms to 1m; default 100ms"},
		kit.LinksOption("client"),
	},
	Make: newLatency,
}

// latency delays what flows on links and keeps its order.
type latency struct {
	kit.LinkFault
	delay time.Duration
}

var _ harness.Fault = latency{}

func newLatency(r *options.Reader) harness.Fault {
	return latency{
		kit.NewLinkFault(r, target.ClientLinks),
		r.Duration("latency", 100*time.Millisecond, time.Millisecond, time.Minute),
	}
}

func (l latency) String() string { return fmt.Sprintf("%s, %s", l.delay, l.LinkFault) }

// Inject delays the target's links: a broker's to and from everyone, a worker's to every broker.
func (l latency) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := l.Find(ctx, f, selector, kit.Anyone)
	if err != nil {
		return nil, err
	}
	return kit.Poisoning{
		Fault: latencyKind.Name, Kind: "latency", What: "delayed", Counted: target.Stream.Passed, WhileActive: true,
		Attributes: toxiproxy.Attributes{"latency": l.delay.Milliseconds(), "jitter": 0},
		Asked:      f.Cluster.Info().Nodes,
	}.Inject(ctx, f, t, streams)
}
