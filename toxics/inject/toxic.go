package inject

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/target"
)

// Bounds on one call to Toxiproxy. Removing a toxic on a link whose peer doesn't read blocks until it reads again.
const (
	AddWithin    = 5 * time.Second
	RemoveWithin = 20 * time.Second
)

// toxicPrefix begins the name of every toxic that faults add.
const toxicPrefix = "chaeos-"

// NewName makes a name that no other fault has, of this process or another on the same Toxiproxy.
func NewName(f *harness.Field, fault string) string {
	return fmt.Sprintf("%s%s-%x-%d", toxicPrefix, fault, history.Now(), f.Claims.Next())
}

// Poison adds the same toxic to every stream at once. Each is noted for removal before it is added, so that undo also
// finds those whose addition failed half way. All their names begin with the given one.
func Poison(ctx context.Context, f *harness.Field, undo *Undo, named, kind string, attributes toxiproxy.Attributes, streams []target.Stream) error {
	client := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI)
	var toxics []*toxic
	for _, s := range streams {
		t := &toxic{proxy: client.NewProxy(), name: named + "-" + s.Direction(), direction: s.Direction()}
		t.proxy.Name = s.Link.Proxy
		undo.Add(fmt.Sprintf("remove %s from %s", t.name, t.proxy.Name), RemoveWithin, t.remove)
		toxics = append(toxics, t)
	}
	return together.Do(toxics, func(t *toxic) error {
		if err := t.add(ctx, kind, attributes); err != nil {
			return fmt.Errorf("%s of %s: %w", t.direction, t.proxy.Name, err)
		}
		return nil
	})
}

// ToxicsGone says which toxics whose names begin so are still on any proxy.
func ToxicsGone(f *harness.Field, named string) func(context.Context) error {
	return func(ctx context.Context) error {
		var left []string
		_, err := Bounded(ctx, func() error {
			proxies, err := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI).Proxies()
			for _, p := range proxies {
				for _, t := range p.ActiveToxics {
					if strings.HasPrefix(t.Name, named) {
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
}

// toxic is one toxic on one proxy.
type toxic struct {
	proxy           *toxiproxy.Proxy
	name, direction string
	added           <-chan struct{} // closed when the addition was answered, nil where it never began
}

func (t *toxic) add(ctx context.Context, kind string, attributes toxiproxy.Attributes) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, AddWithin)
	defer cancel()
	var err error
	t.added, err = Bounded(ctx, func() error {
		// Toxicity below 1 can't be repeated: Toxiproxy throws its seed away.
		_, err := t.proxy.AddToxic(t.name, kind, t.direction, 1, attributes)
		return err
	})
	return err
}

// remove takes the toxic off; one that isn't there is no error. It waits for an addition that is still under way, which
// would otherwise come after the removal and stay.
func (t *toxic) remove(ctx context.Context) error {
	if t.added == nil {
		return nil
	}
	select {
	case <-t.added:
	case <-ctx.Done():
		return fmt.Errorf("its addition was never answered: %w", context.Cause(ctx))
	}
	_, err := Bounded(ctx, func() error { return t.proxy.RemoveToxic(t.name) })
	var api *toxiproxy.ApiError
	if errors.As(err, &api) && api.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// Bounded runs a call of Toxiproxy's client, which knows no contexts, and stops waiting for it when ctx ends. The
// channel is closed when the call has returned (its HTTP client gives up after 30 s).
func Bounded(ctx context.Context, call func() error) (<-chan struct{}, error) {
	done, result := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		result <- call()
	}()
	select {
	case err := <-result:
		return done, err
	case <-ctx.Done():
		return done, fmt.Errorf("no answer from Toxiproxy: %w", context.Cause(ctx))
	}
}
