package toxics

import (
	"context"
	"fmt"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// poisoning is a toxic to be put on the streams of a fault.
type poisoning struct {
	fault, kind string
	attributes  toxiproxy.Attributes
	// what happened to the bytes that count as proof: "cut" or "delayed".
	what    string
	counted func(stream, harness.LinkBytes) int64
	// human writes a count with its unit, bytes unless given.
	human func(int64) string
	// whileActive says that bytes count until the heal, not after it.
	whileActive bool
	// backlog, when set, makes the largest count that was seen at one time the proof: of streams that reached so much.
	backlog int64
	// asked are the brokers that are asked for leaders meanwhile.
	asked []int
}

// inject puts the toxic on every stream and starts to watch.
func (p poisoning) inject(ctx context.Context, f *harness.Field, t found, streams []stream) (harness.Injection, error) {
	bytes, err := newTally(ctx, f, streams, p.counted)
	if err != nil {
		return nil, err
	}
	if p.human != nil {
		bytes.human = p.human
	}
	i := newInjection(f, harness.Resolved{
		Text: t.text, Brokers: t.brokers, Members: t.members, Links: proxiesOf(streams), Partitions: t.affected,
	})
	named := newToxicName(f, p.fault)
	i.expect(fmt.Sprintf("no toxic left on %d links", len(i.resolved.Links)), toxicsGone(f, named))
	if err := poison(ctx, f, &i.undo, named, p.kind, p.attributes, streams); err != nil {
		return i, err
	}
	if p.backlog > 0 {
		i.keep(ctx, func(ctx context.Context) error {
			return wait.Poll(ctx, watchEvery, func() (bool, error) { bytes.peak(ctx, f, p.backlog); return false, nil })
		})
	} else if p.whileActive {
		i.before = func(ctx context.Context) { bytes.count(ctx, f) }
	}
	members := f.Fleet.Members()
	i.gather = func(ctx context.Context) evidence {
		if !p.whileActive && p.backlog == 0 {
			bytes.settle(ctx, f)
		}
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := bytes.of(p.what, func(s stream) bool { return t.matters(s, l, members) })
			return proof + i.moves(l.Name), hit
		}
	}
	i.began(ctx, t.view, p.asked)
	return i, nil
}
