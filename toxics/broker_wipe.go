package toxics

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var brokerWipeKind = kit.Kind{
	Name:  "broker-wipe",
	About: "kills the broker and empties its disk; the heal starts it on the empty disk, and it copies everything again",
	Hits:  target.Brokers,
	Make:  func(*options.Reader) harness.Fault { return brokerWipe{} },
}

// brokerWipe is a disk that died and was replaced.
type brokerWipe struct{}

var _ harness.Fault = brokerWipe{}

func (brokerWipe) Needs() []string { return []string{"kill", "wipe"} }

func (brokerWipe) String() string { return "" }

func (brokerWipe) OutOfQuorum() bool { return true }

func (brokerWipe) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	disks, err := kit.DisksOf(f)
	if err != nil {
		return nil, err
	}
	return kit.NodeFault{
		Done: "killed and wiped", From: kit.Alive, Wants: harness.NodeStopped, Heal: kit.StartAgain,
		Do: func(ctx context.Context, c harness.Cluster, node int) error {
			if err := c.Kill(ctx, node); err != nil {
				return err
			}
			return disks.Wipe(ctx, node)
		},
	}.Inject(ctx, f, selector)
}
