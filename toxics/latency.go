package toxics

import (
	"context"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var latencyKind = Kind{
	Name:  "latency",
	About: "delays every byte on the target's links; in both directions a round trip takes twice as long",
	Hits:  Brokers | Workers | Service,
	Options: []options.Info{
		directionOption,
		fromOption,
		{Name: "latency", About: "how long bytes are delayed, 1ms to 1m; 100ms unless given"},
		linksOption("client"),
	},
	make: newLatency,
}

// latency delays what flows on links, without changing its order.
type latency struct {
	linkFault
	delay time.Duration
}

var _ harness.Fault = latency{}

func newLatency(r *options.Reader) harness.Fault {
	return latency{
		newLinkFault(r, clientLinks),
		r.Duration("latency", 100*time.Millisecond, time.Millisecond, time.Minute),
	}
}

func (l latency) String() string { return fmt.Sprintf("%s, %s", l.delay, l.linkFault) }

// Inject delays the links of the target: those of a broker to and from everyone, those of a worker to every broker.
func (l latency) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := l.find(ctx, f, selector, anyone)
	if err != nil {
		return nil, err
	}
	return poisoning{
		fault: latencyKind.Name, kind: "latency", what: "delayed", counted: stream.passed, whileActive: true,
		attributes: toxiproxy.Attributes{"latency": l.delay.Milliseconds(), "jitter": 0},
		asked:      f.Cluster.Info().Nodes,
	}.inject(ctx, f, t, streams)
}
