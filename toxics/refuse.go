package toxics

import (
	"context"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/together"
)

var refuseKind = Kind{
	Name:  "refuse",
	About: "closes the target's links: open connections end, and new ones are refused, as if nobody listened",
	Hits:  Brokers | Workers | Service,
	Options: []options.Info{
		fromOption,
		linksOption("client"),
	},
	make: func(r *options.Reader) harness.Fault {
		return refuse{linkFault{r.SomeOf("links", clientLinks, linkChoices...), bothWays, readTarget(r, "from", Brokers|Workers)}}
	},
}

// refuse is a broker whose port is closed: unlike with a black hole, whoever dials learns it at once.
type refuse struct{ linkFault }

var _ harness.Fault = refuse{}

func (r refuse) outOfQuorum() bool { return r.has(harness.QuorumLink) }

func (r refuse) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := r.find(ctx, f, selector, anyone)
	if err != nil {
		return nil, err
	}
	ends, err := newTally(ctx, f, streams, stream.ended)
	if err != nil {
		return nil, err
	}
	ends.human = humanEnds
	proxies := proxiesOf(streams)
	i := newInjection(f, harness.Resolved{
		Text: t.text, Brokers: t.brokers, Members: t.members, Links: proxies, Partitions: t.affected,
	})
	i.expect(fmt.Sprintf("%d links listen", len(proxies)), func(ctx context.Context) error { return listening(ctx, f, proxies) })
	if err := closeLinks(ctx, i, proxies); err != nil {
		return i, err
	}
	i.before = func(ctx context.Context) { ends.count(ctx, f) }
	members := f.Fleet.Members()
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := ends.of("ended and refused", func(s stream) bool { return t.matters(s, l, members) })
			return proof + i.moves(l.Name), hit
		}
	}
	i.began(ctx, t.view, without(f.Cluster.Info().Nodes, t.brokers))
	return i, nil
}

// closed are the proxies that faults close: they listen again when no fault wants them closed.
func closed(f *harness.Field) claims.Things[bool] { return claims.Of[bool](f.Claims, "closed proxy") }

// closeWithin bounds the closing of one proxy: it waits for a broker that doesn't answer a dial.
const closeWithin = 20 * time.Second

// closeLinks closes all proxies at once. Each is noted for reopening before it is closed.
func closeLinks(ctx context.Context, i *injection, proxies []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	var closings []func() error
	for _, name := range proxies {
		claim, err := closed(i.field).Take(name, true, func() (bool, error) { return false, nil })
		if err != nil {
			return err
		}
		answered := make(chan struct{})
		i.undo.add("reopen "+name, removeWithin, func(ctx context.Context) error {
			select { // a closing that comes after the reopening would stay
			case <-answered:
			case <-ctx.Done():
				return fmt.Errorf("its closing was never answered: %w", context.Cause(ctx))
			}
			_, err := closed(i.field).Give(claim, func(shut bool) error { return setClosed(ctx, i.field, name, shut) })
			return err
		})
		closings = append(closings, func() error {
			done, err := bounded(ctx, func() error { return switchProxy(i.field, name, false) })
			go func() { <-done; close(answered) }()
			return err
		})
	}
	return together.Do(closings, func(shut func() error) error { return shut() })
}

func setClosed(ctx context.Context, f *harness.Field, name string, shut bool) error {
	_, err := bounded(ctx, func() error { return switchProxy(f, name, !shut) })
	return err
}

func switchProxy(f *harness.Field, name string, on bool) error {
	proxy, err := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI).Proxy(name)
	if err != nil {
		return err
	}
	if on {
		return proxy.Enable()
	}
	return proxy.Disable()
}

// listening says which of the proxies are still closed, unless another fault closes them.
func listening(ctx context.Context, f *harness.Field, proxies []string) error {
	var shut []string
	_, err := bounded(ctx, func() error {
		all, err := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI).Proxies()
		for _, name := range proxies {
			if p, ok := all[name]; ok && !p.Enabled && !closed(f).Claimed(name) {
				shut = append(shut, name)
			}
		}
		return err
	})
	if err == nil && len(shut) > 0 {
		err = fmt.Errorf("links are closed: %v", shut)
	}
	return err
}
