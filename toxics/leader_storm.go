package toxics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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

var leaderStormKind = kit.Kind{
	Name:  "leader-storm",
	About: "moves the leaders of partitions again and again, to replicas in sync that the seed chooses",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "interval", About: "how long after one move the next begins, 100ms to 1m; 1s unless given"},
	},
	Make: newLeaderStorm,
}

type leaderStorm struct{ every time.Duration }

var _ harness.Fault = leaderStorm{}

func newLeaderStorm(r *options.Reader) harness.Fault {
	return leaderStorm{r.Duration("interval", time.Second, 100*time.Millisecond, time.Minute)}
}

func (leaderStorm) Needs() []string { return nil }

func (l leaderStorm) String() string { return fmt.Sprintf("every %s", l.every) }

// storm is a leader storm under way.
type storm struct {
	leaderStorm
	on   kit.OnPartitions
	f    *harness.Field
	rand *rand.Rand

	mu    sync.Mutex
	moved map[admin.TopicPartition]int
}

// Inject begins the storm and returns after the first move.
func (l leaderStorm) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	if err := kit.ClaimOrders(on.Injection, on.View, on.Partitions, on.View.Replicas); err != nil { // it wants no order for long
		return on.Injection, err
	}
	s := &storm{leaderStorm: l, on: on, f: f, rand: f.Rand, moved: map[admin.TopicPartition]int{}}
	on.Began(ctx, on.View, on.View.Nodes)
	if err := s.move(ctx); err != nil {
		return on.Injection, err
	}
	on.Keep(ctx, s.rage)
	on.Prove = func(context.Context) inject.Proof { return s.proof }
	on.Reaction = s.total
	return on.Injection, nil
}

// rage moves until the fault is healed. A round that fails, because another fault has taken a broker, is left out: the
// number of moves that were seen is what counts.
func (s *storm) rage(ctx context.Context) error {
	return wait.Poll(ctx, s.every, func() (bool, error) {
		_ = s.move(ctx)
		return false, nil
	})
}

// move does one round. A partition number has the same next leader in every topic.
func (s *storm) move(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, admin.ShownWithin)
	defer cancel()
	v := s.on.View
	topics, _, err := admin.NewestTopics(ctx, s.f.Admin, v.Nodes, admin.TopicsOf(s.on.Partitions)...)
	if err != nil {
		return err
	}
	v.Topics = topics
	next := s.draw(v)
	if len(next) == 0 {
		return errors.New("no partition has another replica in sync that could lead it")
	}
	if err := kit.Lead(ctx, s.f, v, next); err != nil {
		return err
	}
	if err := admin.AwaitLeaders(ctx, s.f, next); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range next {
		s.moved[p]++
	}
	return nil
}

// draw chooses the next leaders.
func (s *storm) draw(v target.View) map[admin.TopicPartition]int {
	byNumber := map[int32][]admin.TopicPartition{}
	for _, p := range s.on.Partitions {
		byNumber[p.Partition] = append(byNumber[p.Partition], p)
	}
	next := map[admin.TopicPartition]int{}
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		places := byNumber[number]
		can := admin.Movable(v.Topics[places[0].Topic][number])
		if len(can) == 0 {
			continue
		}
		leader := can[s.rand.IntN(len(can))]
		for _, p := range places {
			if slices.Contains(admin.Movable(v.Topics[p.Topic][p.Partition]), leader) {
				next[p] = leader
			}
		}
	}
	return next
}

func (s *storm) proof(l harness.PipelineLayout) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	moves := 0
	for _, p := range s.on.View.Concerning(s.on.Partitions, l) {
		moves += s.moved[p]
	}
	return fmt.Sprintf("%d leader moves of its partitions", moves), moves > 0
}

// total counts every move that was seen.
func (s *storm) total() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	moves := 0
	for _, n := range s.moved {
		moves += n
	}
	return fmt.Sprintf("%d leader moves of %d partitions", moves, len(s.on.Partitions))
}
