package toxics

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var brokerKillKind = Kind{
	Name:  "broker-kill",
	About: "ends the broker's process at once (SIGKILL); the heal starts it again and waits until it is back",
	Hits:  Brokers,
	make:  func(*options.Reader) harness.Fault { return brokerKill{} },
}

type brokerKill struct{}

var _ harness.Fault = brokerKill{}

func (brokerKill) Needs() []string { return []string{"kill"} }

func (brokerKill) String() string { return "" }

func (brokerKill) outOfQuorum() bool { return true }

func (brokerKill) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return nodeFault{
		done: "killed", from: alive, wants: harness.NodeStopped, heal: startAgain,
		hit: func(ctx context.Context, c harness.Cluster, node int) error { return c.Kill(ctx, node) },
	}.inject(ctx, f, selector)
}
