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
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var refuseKind = kit.Kind{
	Name:  "refuse",
	About: "closes the target's links: open connections end, and new ones are refused; the heal opens them",
	Hits:  target.Brokers | target.Workers | target.Service,
	Options: []options.Info{
		kit.FromOption,
		kit.LinksOption("client"),
	},
	Make: func(r *options.Reader) harness.Fault {
		return refuse{kit.LinkFault{Kinds: r.SomeOf("links", target.ClientLinks, kit.LinkChoices...), Direction: target.BothWays, From: kit.ReadTarget(r, "from", target.Brokers|target.Workers)}}
	},
}

// refuse is a broker whose port is closed: unlike with a black hole, clients learn it at once.
type refuse struct{ kit.LinkFault }

var _ harness.Fault = refuse{}

func (r refuse) OutOfQuorum() bool { return r.Has(harness.QuorumLink) }

func (r refuse) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, streams, err := r.Find(ctx, f, selector, kit.Anyone)
	if err != nil {
		return nil, err
	}
	ends, err := inject.NewTally(ctx, f, streams, target.Stream.Ended)
	if err != nil {
		return nil, err
	}
	ends.Human = inject.HumanEnds
	proxies := target.ProxiesOf(streams)
	i := inject.New(f, harness.Resolved{
		Text: t.Text, Brokers: t.Brokers, Members: t.Members, Links: proxies, Partitions: t.Affected,
	})
	i.Expect(fmt.Sprintf("%d links listen", len(proxies)), func(ctx context.Context) error { return listening(ctx, f, proxies) })
	if err := closeLinks(ctx, i, proxies); err != nil {
		return i, err
	}
	i.BeforeHeal = func(ctx context.Context) { ends.Count(ctx, f) }
	members := f.Fleet.Members()
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := ends.Of("ended and refused", func(s target.Stream) bool { return t.Matters(s, l, members) })
			return proof + i.Moves(l.Name), hit
		}
	}
	i.Began(ctx, t.View, target.Without(f.Cluster.Info().Nodes, t.Brokers))
	return i, nil
}

// closed are the proxies that faults close. They listen again when no fault wants them closed.
func closed(f *harness.Field) claims.Things[bool] { return claims.Of[bool](f.Claims, "closed proxy") }

// closeWithin bounds the closing of one proxy, which waits while a broker doesn't answer a dial.
const closeWithin = 20 * time.Second

// closeLinks closes all proxies at once. Each is noted for reopening before it is closed.
func closeLinks(ctx context.Context, i *inject.Injection, proxies []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	var closings []func() error
	for _, name := range proxies {
		claim, err := closed(i.Field).Take(name, true, func() (bool, error) { return false, nil })
		if err != nil {
			return err
		}
		answered := make(chan struct{})
		i.Undo.Add("reopen "+name, inject.RemoveWithin, func(ctx context.Context) error {
			select { // a closing that comes after the reopening would stay
			case <-answered:
			case <-ctx.Done():
				return fmt.Errorf("its closing was never answered: %w", context.Cause(ctx))
			}
			_, err := closed(i.Field).Give(claim, func(shut bool) error { return setClosed(ctx, i.Field, name, shut) })
			return err
		})
		closings = append(closings, func() error {
			done, err := inject.Bounded(ctx, func() error { return switchProxy(i.Field, name, false) })
			go func() { <-done; close(answered) }()
			return err
		})
	}
	return together.Do(closings, func(shut func() error) error { return shut() })
}

func setClosed(ctx context.Context, f *harness.Field, name string, shut bool) error {
	_, err := inject.Bounded(ctx, func() error { return switchProxy(f, name, !shut) })
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

// listening returns an error if any of the proxies is closed and no other fault wants it closed.
func listening(ctx context.Context, f *harness.Field, proxies []string) error {
	var shut []string
	_, err := inject.Bounded(ctx, func() error {
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
