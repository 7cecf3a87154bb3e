package toxics

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var brokerWipeKind = Kind{
	Name:  "broker-wipe",
	About: "kills the broker and empties its disk; the heal starts it on the empty disk, and it copies everything again",
	Hits:  Brokers,
	make:  func(*options.Reader) harness.Fault { return brokerWipe{} },
}

// brokerWipe is a disk that died and was replaced.
type brokerWipe struct{}

var _ harness.Fault = brokerWipe{}

func (brokerWipe) Needs() []string { return []string{"kill", "wipe"} }

func (brokerWipe) String() string { return "" }

func (brokerWipe) outOfQuorum() bool { return true }

func (brokerWipe) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	disks, err := disksOf(f)
	if err != nil {
		return nil, err
	}
	return nodeFault{
		done: "killed and wiped", from: alive, wants: harness.NodeStopped, heal: startAgain,
		hit: func(ctx context.Context, c harness.Cluster, node int) error {
			if err := c.Kill(ctx, node); err != nil {
				return err
			}
			return disks.Wipe(ctx, node)
		},
	}.inject(ctx, f, selector)
}
