package toxics

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var brokerRestartKind = Kind{
	Name:  "broker-restart",
	About: "ends brokers and starts them again at once, all of the target together; the heal waits until they are back",
	Hits:  Brokers,
	Options: []options.Info{
		{Name: "how", About: "stop (SIGTERM, its leaders are handed over) or kill (SIGKILL); stop unless given"},
		{Name: "within", About: "how long a broker may take to stop before it is killed, 1s to 2m; 20s unless given"},
	},
	make: newBrokerRestart,
}

type brokerRestart struct{ restart }

var _ harness.Fault = brokerRestart{}

func newBrokerRestart(r *options.Reader) harness.Fault {
	return brokerRestart{restart{
		r.OneOf("how", howStop, howKill), r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}}
}

func (brokerRestart) Needs() []string { return []string{"stop", "kill"} }

func (b brokerRestart) String() string { return "by " + b.how }

func (brokerRestart) outOfQuorum() bool { return true }

func (b brokerRestart) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return nodeFault{
		done: "restarted", from: awake, wants: harness.NodeRunning, heal: startAgain, hit: b.one,
	}.inject(ctx, f, selector)
}
