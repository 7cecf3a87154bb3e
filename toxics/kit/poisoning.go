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

// Poisoning is a toxic to be put on the streams of a fault.
type Poisoning struct {
	Fault, Kind string
	Attributes  toxiproxy.Attributes
	// What happened to the bytes that count as proof: "cut" or "delayed".
	What    string
	Counted func(target.Stream, harness.LinkBytes) int64
	// Human writes a count with its unit, bytes unless given.
	Human func(int64) string
	// WhileActive says that bytes count until the heal, not after it.
	WhileActive bool
	// Backlog, when set, makes the largest count that was seen at one time the proof: of streams that reached so much.
	Backlog int64
	// Asked are the brokers that are asked for leaders meanwhile.
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
