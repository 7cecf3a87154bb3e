package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var leaderMoveKind = Kind{
	Name:  "leader-move",
	About: "hands the leadership of partitions to another replica in sync, in order; the heal gives it back",
	Hits:  Partitions,
	Options: []options.Info{
		{Name: "to", About: "a target that selects the next leader; the next replica in sync unless given"},
		{Name: "within", About: "how long the election may take, 1s to 1m; 10s unless given"},
	},
	make: newLeaderMove,
}

// leaderMove makes another replica the preferred leader, and elects it: the leader knows, and nothing is lost by it.
type leaderMove struct {
	to     string
	within time.Duration
}

var _ harness.Fault = leaderMove{}

func newLeaderMove(r *options.Reader) harness.Fault {
	return leaderMove{readTarget(r, "to", Brokers), r.Duration("within", 10*time.Second, time.Second, time.Minute)}
}

func (leaderMove) Needs() []string { return nil }

func (l leaderMove) String() string {
	if l.to == "" {
		return ""
	}
	return "to " + l.to
}

func (l leaderMove) check(s harness.Scope, _ Target) error { return checkOther("to", l.to, s) }

// Inject moves the leaders of every place that the target selects, all by one request.
func (l leaderMove) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	next, err := l.next(on)
	if err != nil {
		return nil, err
	}
	wanted := func(p place) []int32 { return withFirst(on.view.replicas(p), int32(next[p])) }
	if err := claimOrders(on.i, on.view, on.places, wanted); err != nil {
		return on.i, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	on.i.began(ctx, on.view, on.view.nodes)
	begin := time.Now()
	if err := lead(ctx, f, on.view, next); err != nil {
		return on.i, err
	}
	if err := awaitLeaders(ctx, f, next); err != nil {
		return on.i, err
	}
	took := time.Since(begin)
	on.i.gather = func(context.Context) evidence {
		return func(layout harness.PipelineLayout) (string, bool) { return moveProof(on, next, layout, took) }
	}
	return on.i, nil
}

// next chooses each place's next leader: the broker that "to" selects, or the first other replica in sync.
func (l leaderMove) next(on onPlaces) (map[place]int, error) {
	var wanted []int
	if l.to != "" {
		t, err := ParseTarget(l.to)
		if err != nil {
			return nil, err
		}
		if wanted, err = t.findBrokers(on.view); err != nil {
			return nil, err
		}
	}
	next := map[place]int{}
	for _, p := range on.places {
		can := movable(on.view.topics[p.topic][p.partition])
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

func moveProof(on onPlaces, next map[place]int, l harness.PipelineLayout, took time.Duration) (string, bool) {
	var texts []string
	for _, p := range on.view.concerned(on.places, l) {
		from := on.view.topics[p.topic][p.partition].Leader
		texts = append(texts, fmt.Sprintf("leader of %s/%d: %d -> %d", on.view.generic(p.topic), p.partition, from, next[p]))
	}
	if len(texts) == 0 {
		return notTouched("no partition of it was moved")
	}
	return fmt.Sprintf("%s, seen after %.1fs", strings.Join(texts, ", "), took.Seconds()), true
}
