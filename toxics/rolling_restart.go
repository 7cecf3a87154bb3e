package toxics

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var rollingRestartKind = kit.Kind{
	Name:  "rolling-restart",
	About: "restarts brokers one after the other, as an upgrade does; the heal ends the roll and waits until all are back",
	Hits:  target.Brokers,
	Options: []options.Info{
		{Name: "gap", About: "how long to wait between one broker and the next, in addition to the pace, 0s to 5m; default 0s"},
		{Name: "how", About: "stop (SIGTERM, after handing over its leaders) or kill (SIGKILL); default stop"},
		{Name: "pace", About: "isr (the next broker when every replica is in sync again) or none (as soon as the process runs); default isr"},
	},
	Make: newRollingRestart,
}

// The paces of a roll.
const (
	paceISR  = "isr"
	paceNone = "none"
)

type rollingRestart struct {
	kit.Restart
	pace string
	gap  time.Duration
}

var _ harness.Fault = rollingRestart{}

func newRollingRestart(r *options.Reader) harness.Fault {
	return rollingRestart{
		kit.Restart{How: r.OneOf("how", kit.HowStop, kit.HowKill), Within: 20 * time.Second},
		r.OneOf("pace", paceISR, paceNone), r.Duration("gap", 0, 0, 5*time.Minute),
	}
}

func (rollingRestart) Needs() []string { return []string{"stop", "kill"} }

func (r rollingRestart) String() string {
	text := fmt.Sprintf("by %s, paced by ISR", r.How)
	if r.pace == paceNone {
		text = fmt.Sprintf("by %s, unpaced", r.How)
	}
	if r.gap > 0 {
		text += fmt.Sprintf(", %s between", r.gap)
	}
	return text
}

func (rollingRestart) OutOfQuorum() bool { return true }

// OneAtATime reports whether the roll waits until one node is back before it takes the next.
func (r rollingRestart) OneAtATime() bool { return r.pace == paceISR }

// roll is a rolling restart under way.
type roll struct {
	rollingRestart
	f       *harness.Field
	brokers []int

	mu sync.Mutex
	// done are the brokers restarted so far, roles what each did for every pipeline when its turn came.
	done  []int
	roles map[int]map[string][]string
}

// Inject begins the roll and returns. It goes on until every broker was restarted, or the fault is healed.
func (r rollingRestart) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindBrokers(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return on.Injection, context.Cause(ctx)
	}
	for _, b := range on.Brokers {
		kit.BrokerProcess(f, b).Want(&on.Undo, inject.Action[harness.NodeState]{
			Wants: harness.NodeRunning, Heal: func(ctx context.Context) error { return kit.StartAgain(ctx, f, b) },
		})
	}
	on.ExpectRunning()
	rolling := &roll{rollingRestart: r, f: f, brokers: on.Brokers, roles: map[int]map[string][]string{}}
	on.Reaction = rolling.reaction
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := rolling.proof(l)
			return on.OrByQuorum("restarted", proof, hit)
		}
	}
	on.Began(ctx, on.View, on.View.Nodes)
	on.Keep(ctx, rolling.run)
	return on.Injection, nil
}

func (r *roll) run(ctx context.Context) error {
	for at, b := range r.brokers {
		if at > 0 {
			if err := r.awaitPace(ctx, r.brokers[at-1]); err != nil {
				return err
			}
		}
		v, err := target.Look(ctx, r.f)
		if err != nil {
			return err
		}
		if err := r.turn(ctx, b); err != nil {
			return fmt.Errorf("restart broker %d: %w", b, err)
		}
		r.note(b, v)
	}
	return nil
}

// turn restarts one broker, which no other fault may have at that time.
func (r *roll) turn(ctx context.Context, broker int) error {
	return kit.BrokerProcess(r.f, broker).Alone(ctx, kit.Awake, func() error { return r.Restart.RestartNode(ctx, r.f.Cluster, broker) })
}

func (r *roll) note(broker int, v target.View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.roles[broker] = append(r.done, broker), map[string][]string{}
	for _, l := range r.f.Plan.Pipelines {
		r.roles[broker][l.Name] = v.Roles(l, broker)
	}
}

// paceWithin bounds the wait for one broker to be in sync again.
const paceWithin = 2 * time.Minute

// awaitPace waits until the next broker's turn.
func (r *roll) awaitPace(ctx context.Context, last int) error {
	if r.pace == paceISR {
		bounded, cancel := context.WithTimeout(ctx, paceWithin)
		defer cancel()
		if err := kit.AwaitBack(bounded, r.f, last); err != nil {
			return err
		}
		if err := awaitWhole(bounded, r.f); err != nil {
			return fmt.Errorf("after the restart of broker %d: %w", last, err)
		}
	}
	return wait.Sleep(ctx, r.gap)
}

// awaitWhole waits until every partition of the run, and of the coordinators, has all its replicas in sync; without a run, every
// partition that there is.
func awaitWhole(ctx context.Context, f *harness.Field) error {
	names := target.TopicsOf(f.Plan)
	if len(names) > 0 {
		names = append(names, target.OffsetsTopic, target.TransactionsTopic)
	}
	return admin.Until(ctx, func() error {
		md, _, err := f.Brokers().Newest(ctx, names...)
		if err != nil {
			return err
		}
		for topic, states := range md.Topics {
			for p, s := range states {
				if !s.InSync() {
					return fmt.Errorf("%s/%d has %v of %v in sync", topic, p, s.ISR, s.Replicas)
				}
			}
		}
		return nil
	})
}

func (r *roll) reaction() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%d of %d brokers restarted", len(r.done), len(r.brokers))
}

func (r *roll) proof(l harness.PipelineLayout) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, b := range r.done {
		if roles := r.roles[b][l.Name]; len(roles) > 0 {
			texts = append(texts, fmt.Sprintf("restarted broker %d, which %s", b, strings.Join(roles, ", ")))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no broker that was restarted led or coordinated anything of it")
	}
	return strings.Join(texts, "; "), true
}
