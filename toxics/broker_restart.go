package toxics

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var brokerRestartKind = kit.Kind{
	Name:  "broker-restart",
	About: "ends brokers and starts them at once, all that the target selects together; the heal waits until they are back",
	Hits:  target.Brokers,
	Options: []options.Info{
		{Name: "how", About: "stop (SIGTERM, after handing over its leaders) or kill (SIGKILL); default stop"},
		{Name: "within", About: "how long a broker may take to stop before it is killed, 1s to 2m; default 20s"},
	},
	Make: newBrokerRestart,
}

type brokerRestart struct{ kit.Restart }

var _ harness.Fault = brokerRestart{}

func newBrokerRestart(r *options.Reader) harness.Fault {
	return brokerRestart{kit.Restart{
		How: r.OneOf("how", kit.HowStop, kit.HowKill), Within: r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}}
}

func (brokerRestart) Needs() []string { return []string{"stop", "kill"} }

func (b brokerRestart) String() string { return "by " + b.How }

func (brokerRestart) OutOfQuorum() bool { return true }

func (b brokerRestart) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return kit.NodeFault{
		Done: "restarted", From: kit.Awake, Wants: harness.NodeRunning, Heal: kit.StartAgain, Do: b.RestartNode,
	}.Inject(ctx, f, selector)
}
