package toxics

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var brokerKillKind = kit.Kind{
	Name:  "broker-kill",
	About: "kills the broker's process (SIGKILL); the heal starts it and waits until it is back",
	Hits:  target.Brokers,
	Make:  func(*options.Reader) harness.Fault { return brokerKill{} },
}

type brokerKill struct{}

var _ harness.Fault = brokerKill{}

func (brokerKill) Needs() []string { return []string{"kill"} }

func (brokerKill) String() string { return "" }

func (brokerKill) OutOfQuorum() bool { return true }

func (brokerKill) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return kit.NodeFault{
		Done: "killed", From: kit.Alive, Wants: harness.NodeStopped, Heal: kit.StartAgain,
		Do: func(ctx context.Context, c harness.Cluster, node int) error { return c.Kill(ctx, node) },
	}.Inject(ctx, f, selector)
}
