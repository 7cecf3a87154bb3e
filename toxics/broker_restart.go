package toxics

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
)

var brokerRestartKind = Kind{
	Name:  "broker-restart",
	About: "ends brokers and starts them again at once, all of the target together; the heal waits until they are back",
	Hits:  Brokers,
	Options: []OptionInfo{
		{"how", "stop (SIGTERM, its leaders are handed over) or kill (SIGKILL); stop unless given"},
		{"within", "how long a broker may take to stop before it is killed, 1s to 2m; 20s unless given"},
	},
	make: newBrokerRestart,
}

// The ways to end a broker.
const (
	howStop = "stop"
	howKill = "kill"
)

type brokerRestart struct {
	how    string
	within time.Duration
}

var _ harness.Fault = brokerRestart{}

func newBrokerRestart(r *reader) harness.Fault {
	return brokerRestart{r.OneOf("how", howStop, howKill), r.Duration("within", 20*time.Second, time.Second, 2*time.Minute)}
}

func (brokerRestart) Needs() []string { return []string{"stop", "kill"} }

func (b brokerRestart) String() string { return "by " + b.how }

func (brokerRestart) outOfQuorum() bool { return true }

func (b brokerRestart) Inject(ctx context.Context, f *harness.Field, target string) (harness.Injection, error) {
	return nodeFault{
		done: "restarted", from: awake, wants: harness.NodeRunning, heal: startAgain, hit: b.restart,
	}.inject(ctx, f, target)
}

// restart ends a node and starts it; it returns when the process runs, not when the broker is back.
func (b brokerRestart) restart(ctx context.Context, c harness.Cluster, node int) error {
	end := c.Kill
	if b.how == howStop {
		end = func(ctx context.Context, node int) error { return stopNode(ctx, c, node, b.within) }
	}
	if err := end(ctx, node); err != nil {
		return err
	}
	return c.Start(ctx, node)
}
