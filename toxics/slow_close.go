package toxics

import (
	"context"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var slowCloseKind = kit.Kind{
	Name: "slow-close",
	About: "holds back the ends of connections on the target's links: the other side learns late that its peer has left. " +
		"It takes effect only on connections that end meanwhile",
	Hits: target.Brokers | target.Workers | target.Service,
	Options: []options.Info{
		{Name: "delay", About: "how long an end is held back, 1ms to 5m; default 5s"},
		kit.DirectionOption,
		kit.FromOption,
		kit.LinksOption("client"),
	},
	Make: newSlowClose,
}

// slowClose makes a dead peer look alive for a while.
type slowClose struct {
	kit.LinkFault
	delay time.Duration
}

var _ harness.Fault = slowClose{}

func newSlowClose(r *options.Reader) harness.Fault {
	return slowClose{kit.NewLinkFault(r, target.ClientLinks), r.Duration("delay", 5*time.Second, time.Millisecond, 5*time.Minute)}
}

func (s slowClose) String() string { return fmt.Sprintf("%s, %s", s.delay, s.LinkFault) }

func (s slowClose) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := s.Find(ctx, f, selector, kit.Anyone)
	if err != nil {
		return nil, err
	}
	return kit.Poisoning{
		Fault: slowCloseKind.Name, Kind: "slow_close", What: "ended late", Counted: target.Stream.Ended,
		Human: inject.HumanEnds, WhileActive: true,
		Attributes: toxiproxy.Attributes{"delay": s.delay.Milliseconds()},
		Asked:      f.Cluster.Info().Nodes,
	}.Inject(ctx, f, t, streams)
}
