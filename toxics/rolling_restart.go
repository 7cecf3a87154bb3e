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
		{Name: "gap", About: "how long to wait between one broker and the next, beside the pace, 0s to 5m; 0s unless given"},
		{Name: "how", About: "stop (SIGTERM, its leaders are handed over) or kill (SIGKILL); stop unless given"},
		{Name: "pace", About: "isr (the next only when every replica is in sync again) or none (at once when the process runs); isr unless given"},
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

// OneAtATime says that a paced roll takes no second node before the first is back.
func (r rollingRestart) OneAtATime() bool { return r.pace == paceISR }

// roll is a rolling restart under way.
type roll struct {
	rollingRestart
	f       *harness.Field
	brokers []int

	mu sync.Mutex
	// done are the brokers restarted so far, and what each was for every pipeline when its turn came.
	done  []int
	roles map[int]map[string][]string
}

// Inject begins the roll and returns; it goes on until it is through or healed.
func (r rollingRestart) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	v, brokers, i, err := kit.FindNodes(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return i, context.Cause(ctx)
	}
	for _, b := range brokers {
		kit.BrokerProcess(f, b).Want(&i.Undo, inject.Action[harness.NodeState]{
			Wants: harness.NodeRunning, Heal: func(ctx context.Context) error { return kit.StartAgain(ctx, f, b) },
		})
	}
	kit.ExpectNodes(i, brokers)
	rolling := &roll{rollingRestart: r, f: f, brokers: brokers, roles: map[int]map[string][]string{}}
	i.Reaction = rolling.effect
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := rolling.proof(l)
			return i.OrByQuorum("restarted", proof, hit)
		}
	}
	i.Began(ctx, v, v.Nodes)
	i.Keep(ctx, rolling.run)
	return i, nil
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

// turn restarts one broker, which no other fault may have when its turn comes.
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

// awaitWhole waits until every partition of the run, and the coordinators', has all its replicas in sync. Where no run
// plays, and there was no topic yet, that is every partition there is now.
func awaitWhole(ctx context.Context, f *harness.Field) error {
	names := target.TopicsOf(f.Plan)
	if len(names) > 0 {
		names = append(names, target.OffsetsTopic, target.TransactionsTopic)
	}
	var missing error
	err := wait.Poll(ctx, admin.PollEvery, func() (bool, error) {
		topics, _, err := admin.NewestTopics(ctx, f.Admin, f.Cluster.Info().Nodes, names...)
		if missing = err; err != nil {
			return false, nil
		}
		for topic, states := range topics {
			for p, s := range states {
				if !s.InSync() {
					missing = fmt.Errorf("%s/%d has %v of %v in sync", topic, p, s.ISR, s.Replicas)
				}
			}
		}
		return missing == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w (%w)", err, missing)
	}
	return nil
}

func (r *roll) effect() string {
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
