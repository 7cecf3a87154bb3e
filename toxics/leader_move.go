package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var leaderMoveKind = kit.Kind{
	Name:  "leader-move",
	About: "hands the leadership of partitions to another replica in sync; the heal gives it back",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "to", About: "a target that selects the next leader; default: the next replica in sync"},
		{Name: "within", About: "how long the election may take, 1s to 1m; default 10s"},
	},
	Make: newLeaderMove,
}

// leaderMove makes another replica the preferred leader and elects it: the old leader knows, and nothing is lost.
type leaderMove struct {
	to     string
	within time.Duration
}

var _ harness.Fault = leaderMove{}

func newLeaderMove(r *options.Reader) harness.Fault {
	return leaderMove{kit.ReadTarget(r, "to", target.Brokers), r.Duration("within", 10*time.Second, time.Second, time.Minute)}
}

func (leaderMove) Needs() []string { return nil }

func (l leaderMove) String() string {
	if l.to == "" {
		return ""
	}
	return "to " + l.to
}

func (l leaderMove) Check(s harness.Scope, _ target.Target) error {
	return kit.CheckOther("to", l.to, s)
}

// Inject moves the leaders of all partitions that the target selects with one request.
func (l leaderMove) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	next, err := l.next(on)
	if err != nil {
		return nil, err
	}
	wanted := func(p ask.TopicPartition) []int32 { return admin.WithFirst(on.View.Replicas(p), int32(next[p])) }
	if err := on.ClaimOrders(wanted); err != nil {
		return on.Injection, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	on.Began(ctx, on.View, on.View.Nodes)
	begin := time.Now()
	if err := kit.Lead(ctx, f, on.View, next); err != nil {
		return on.Injection, err
	}
	if err := admin.AwaitLeaders(ctx, f, next); err != nil {
		return on.Injection, err
	}
	took := time.Since(begin)
	on.Prove = func(context.Context) inject.Proof {
		return func(layout harness.PipelineLayout) (string, bool) { return moveProof(on, next, layout, took) }
	}
	return on.Injection, nil
}

// next chooses each partition's next leader: the broker that "to" selects, or the first other replica in sync.
func (l leaderMove) next(on kit.OnPartitions) (map[ask.TopicPartition]int, error) {
	var wanted []int
	if l.to != "" {
		t, err := target.Parse(l.to)
		if err != nil {
			return nil, err
		}
		if wanted, err = t.FindBrokers(on.View); err != nil {
			return nil, err
		}
	}
	next := map[ask.TopicPartition]int{}
	for _, p := range on.Partitions {
		can := admin.Movable(on.View.Topics[p.Topic][p.Partition])
		if l.to != "" {
			can = slices.DeleteFunc(can, func(b int) bool { return !slices.Contains(wanted, b) })
		}
		if len(can) == 0 {
			return nil, fmt.Errorf("%s: no other replica in sync that could lead it", p)
		}
		next[p] = can[0]
	}
	return next, nil
}

func moveProof(on kit.OnPartitions, next map[ask.TopicPartition]int, l harness.PipelineLayout, took time.Duration) (string, bool) {
	var texts []string
	for _, p := range on.View.Concerning(on.Partitions, l) {
		from := on.View.Topics[p.Topic][p.Partition].Leader
		texts = append(texts, fmt.Sprintf("leader of %s/%d: %d -> %d", on.View.Generic(p.Topic), p.Partition, from, next[p]))
	}
	if len(texts) == 0 {
		return inject.NotTouched("no partition of it was moved")
	}
	return fmt.Sprintf("%s, seen after %.1fs", strings.Join(texts, ", "), took.Seconds()), true
}
