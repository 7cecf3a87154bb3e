package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var brokerStopKind = Kind{
	Name:  "broker-stop",
	About: "ends the broker's process in order (SIGTERM), which hands its leaders over first; the heal starts it again",
	Hits:  Brokers,
	Options: []options.Info{
		{Name: "within", About: "how long the broker may take before it is killed, 1s to 2m; 20s unless given"},
	},
	make: newBrokerStop,
}

// brokerStop is a maintenance: the broker asks the controller to move its leaders, and leaves.
type brokerStop struct{ within time.Duration }

var _ harness.Fault = brokerStop{}

func newBrokerStop(r *options.Reader) harness.Fault {
	return brokerStop{r.Duration("within", 20*time.Second, time.Second, 2*time.Minute)}
}

func (brokerStop) Needs() []string { return []string{"stop", "kill"} }

func (b brokerStop) String() string { return fmt.Sprintf("killed after %s", b.within) }

func (brokerStop) outOfQuorum() bool { return true }

func (b brokerStop) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return nodeFault{
		done: "shut down", from: awake, wants: harness.NodeStopped, heal: startAgain,
		hit: func(ctx context.Context, c harness.Cluster, node int) error { return stopNode(ctx, c, node, b.within) },
	}.inject(ctx, f, selector)
}
