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
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var leaderStormKind = kit.Kind{
	Name:  "leader-storm",
	About: "moves the leaders of partitions again and again, to replicas in sync that the seed chooses; the heal gives them back",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "interval", About: "how long after one move the next one begins, 100ms to 1m; default 1s"},
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
	moved map[ask.TopicPartition]int
}

// Inject begins the storm and returns after the first move.
func (l leaderStorm) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	if err := on.ClaimOrders(on.View.Replicas); err != nil { // it wants no order of its own for long
		return on.Injection, err
	}
	s := &storm{leaderStorm: l, on: on, f: f, rand: f.Rand, moved: map[ask.TopicPartition]int{}}
	on.Began(ctx, on.View, on.View.Nodes)
	if err := s.move(ctx); err != nil {
		return on.Injection, err
	}
	on.Keep(ctx, s.rage)
	on.Prove = func(context.Context) inject.Proof { return s.proof }
	on.Reaction = s.total
	return on.Injection, nil
}

// rage moves leaders until the fault is healed. A round may fail, for example because another fault has a broker: what counts
// is the number of moves that were seen.
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
	md, _, err := s.f.Brokers().Newest(ctx, ask.Topics(s.on.Partitions)...)
	if err != nil {
		return err
	}
	v.Topics = md.Topics
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
func (s *storm) draw(v target.View) map[ask.TopicPartition]int {
	byNumber := map[int32][]ask.TopicPartition{}
	for _, p := range s.on.Partitions {
		byNumber[p.Partition] = append(byNumber[p.Partition], p)
	}
	next := map[ask.TopicPartition]int{}
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		same := byNumber[number]
		can := admin.Movable(v.Topics[same[0].Topic][number])
		if len(can) == 0 {
			continue
		}
		leader := can[s.rand.IntN(len(can))]
		for _, p := range same {
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
