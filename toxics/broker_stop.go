package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var brokerStopKind = kit.Kind{
	Name:  "broker-stop",
	About: "stops the broker's process in order (SIGTERM), after it has handed over its leaders; the heal starts it",
	Hits:  target.Brokers,
	Options: []options.Info{
		{Name: "within", About: "how long the broker may take to stop before it is killed, 1s to 2m; default 20s"},
	},
	Make: newBrokerStop,
}

// brokerStop is what maintenance does: the broker asks the controller to move its leaders, and leaves.
type brokerStop struct{ within time.Duration }

var _ harness.Fault = brokerStop{}

func newBrokerStop(r *options.Reader) harness.Fault {
	return brokerStop{r.Duration("within", 20*time.Second, time.Second, 2*time.Minute)}
}

func (brokerStop) Needs() []string { return []string{"stop", "kill"} }

func (b brokerStop) String() string { return fmt.Sprintf("killed after %s", b.within) }

func (brokerStop) OutOfQuorum() bool { return true }

func (b brokerStop) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return kit.NodeFault{
		Done: "shut down", From: kit.Awake, Wants: harness.NodeStopped, Heal: kit.StartAgain,
		Do: func(ctx context.Context, c harness.Cluster, node int) error {
			return kit.StopNode(ctx, c, node, b.within)
		},
	}.Inject(ctx, f, selector)
}
