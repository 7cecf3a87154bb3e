package toxics

import (
	"context"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var slowCloseKind = Kind{
	Name: "slow-close",
	About: "holds the ends of connections on the target's links back: the other side learns late that its peer has left. " +
		"It bites only who closes a connection meanwhile",
	Hits: Brokers | Workers | Service,
	Options: []options.Info{
		{Name: "delay", About: "how long an end is held back, 1ms to 5m; 5s unless given"},
		directionOption,
		fromOption,
		linksOption("client"),
	},
	make: newSlowClose,
}

// slowClose makes a dead peer look alive for a while.
type slowClose struct {
	linkFault
	delay time.Duration
}

var _ harness.Fault = slowClose{}

func newSlowClose(r *options.Reader) harness.Fault {
	return slowClose{newLinkFault(r, clientLinks), r.Duration("delay", 5*time.Second, time.Millisecond, 5*time.Minute)}
}

func (s slowClose) String() string { return fmt.Sprintf("%s, %s", s.delay, s.linkFault) }

func (s slowClose) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := s.find(ctx, f, selector, anyone)
	if err != nil {
		return nil, err
	}
	return poisoning{
		fault: slowCloseKind.Name, kind: "slow_close", what: "ended late", counted: stream.ended,
		human: humanEnds, whileActive: true,
		attributes: toxiproxy.Attributes{"delay": s.delay.Milliseconds()},
		asked:      f.Cluster.Info().Nodes,
	}.inject(ctx, f, t, streams)
}
