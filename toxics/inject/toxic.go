package inject

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/target"
)

// toxicPrefix begins the name of every toxic that faults add.
const toxicPrefix = "chaeos-"

// NewName makes a name that no other fault uses, of this process or another one on the same Toxiproxy.
func NewName(f *harness.Field, fault string) string {
	return fmt.Sprintf("%s%s-%x-%d", toxicPrefix, fault, history.Now(), f.Claims.Next())
}

// Toxic is one of Toxiproxy's toxics, to be put on streams.
type Toxic struct {
	// Name begins the toxic's name on every proxy.
	Name string
	// Kind is Toxiproxy's name for what it does.
	Kind       string
	Attributes toxiproxy.Attributes
}

// Put adds the toxic to every stream at once. Each is noted for removal before it is added, so that undo also finds those
// whose addition failed half way.
func (x Toxic) Put(ctx context.Context, f *harness.Field, undo *Undo, streams []target.Stream) error {
	client := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI)
	var all []*placed
	for _, s := range streams {
		p := &placed{Toxic: x, proxy: client.NewProxy(), direction: s.Direction()}
		p.Name += "-" + s.Direction()
		p.proxy.Name = s.Link.Proxy
		undo.Add(fmt.Sprintf("remove %s from %s", p.Name, p.proxy.Name), RemoveWithin, p.remove)
		all = append(all, p)
	}
	return together.Do(all, func(p *placed) error {
		if err := p.add(ctx); err != nil {
			return fmt.Errorf("%s of %s: %w", p.direction, p.proxy.Name, err)
		}
		return nil
	})
}

// Gone returns an error if the toxic is still on any proxy.
func (x Toxic) Gone(ctx context.Context, f *harness.Field) error {
	var left []string
	_, err := Bounded(ctx, func() error {
		proxies, err := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI).Proxies()
		for _, p := range proxies {
			for _, t := range p.ActiveToxics {
				if strings.HasPrefix(t.Name, x.Name) {
					left = append(left, t.Name+" on "+p.Name)
				}
			}
		}
		return err
	})
	if err == nil && len(left) > 0 {
		slices.Sort(left)
		err = fmt.Errorf("toxics are left: %s", strings.Join(left, ", "))
	}
	return err
}

// placed is a toxic on one stream.
type placed struct {
	Toxic
	proxy     *toxiproxy.Proxy
	direction string
	added     <-chan struct{} // closed when the addition was answered, nil if it never began
}

func (p *placed) add(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, AddWithin)
	defer cancel()
	var err error
	p.added, err = Bounded(ctx, func() error {
		// Toxicity below 1 can't be repeated: Toxiproxy throws its seed away.
		_, err := p.proxy.AddToxic(p.Name, p.Kind, p.direction, 1, p.Attributes)
		return err
	})
	return err
}

// remove takes the toxic off; that it isn't there is no error. It waits for an addition that is still under way, which would
// otherwise come after the removal and stay.
func (p *placed) remove(ctx context.Context) error {
	if p.added == nil {
		return nil
	}
	select {
	case <-p.added:
	case <-ctx.Done():
		return fmt.Errorf("its addition was never answered: %w", context.Cause(ctx))
	}
	_, err := Bounded(ctx, func() error { return p.proxy.RemoveToxic(p.Name) })
	var api *toxiproxy.ApiError
	if errors.As(err, &api) && api.Status == http.StatusNotFound {
		return nil
	}
	return err
}
