package kit

import (
	"context"
	"fmt"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// Poisoning is one of Toxiproxy's toxics as a fault.
type Poisoning struct {
	// Fault is the fault's name, Kind is Toxiproxy's name for the toxic.
	Fault, Kind string
	Attributes  toxiproxy.Attributes
	// What happened to what is counted as proof: "cut", "delayed".
	What string
	// Counted is what counts of a link's counters.
	Counted func(target.Stream, harness.LinkBytes) int64
	// Human writes a count with its unit, bytes unless set.
	Human func(int64) string
	// WhileActive means that the count ends at the heal, not after it.
	WhileActive bool
	// Backlog, if set, makes the largest count at any one time the proof, of streams that reached this many bytes.
	Backlog int64
	// Asked are the brokers to ask for leaders while the fault is active.
	Asked []int
}

// Inject puts the toxic on every stream and starts to watch.
func (p Poisoning) Inject(ctx context.Context, f *harness.Field, t target.Found, streams []target.Stream) (harness.Injection, error) {
	bytes, err := inject.NewTally(ctx, f, streams, p.Counted)
	if err != nil {
		return nil, err
	}
	if p.Human != nil {
		bytes.Human = p.Human
	}
	i := inject.New(f, harness.Resolved{
		Text: t.Text, Brokers: t.Brokers, Members: t.Members, Links: target.ProxiesOf(streams), Partitions: t.Affected,
	})
	toxic := inject.Toxic{Name: inject.NewName(f, p.Fault), Kind: p.Kind, Attributes: p.Attributes}
	i.Expect(fmt.Sprintf("no toxic left on %d links", len(i.Hit.Links)), func(ctx context.Context) error { return toxic.Gone(ctx, f) })
	if err := toxic.Put(ctx, f, &i.Undo, streams); err != nil {
		return i, err
	}
	if p.Backlog > 0 {
		i.Keep(ctx, func(ctx context.Context) error {
			return wait.Poll(ctx, inject.WatchEvery, func() (bool, error) { bytes.Peak(ctx, f, p.Backlog); return false, nil })
		})
	} else if p.WhileActive {
		i.BeforeHeal = func(ctx context.Context) { bytes.Count(ctx, f) }
	}
	members := f.Fleet.Members()
	i.Prove = func(ctx context.Context) inject.Proof {
		if !p.WhileActive && p.Backlog == 0 {
			bytes.Quiesce(ctx, f)
		}
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := bytes.Of(p.What, func(s target.Stream) bool { return t.Matters(s, l, members) })
			return proof + i.Moves(l.Name), hit
		}
	}
	i.Began(ctx, t.View, p.Asked)
	return i, nil
}
