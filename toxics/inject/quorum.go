package inject

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/target"
)

// unheardAtLeast is how long a controller must be silent before that counts as a fault's doing: controllers that follow the
// quorum's leader ask it twice a second.
const unheardAtLeast = 1500 * time.Millisecond

// quorumWatch follows what a fault does to controllers that keep no records. Clients have no links to them and they lead no
// partitions, but brokers answer questions about the quorum. A nil one follows nothing.
type quorumWatch struct {
	field *harness.Field
	// hit are the controllers that the fault hit, asked are brokers that it did not hit.
	hit, asked []int
	start      history.Time

	mu sync.Mutex
	// before led the quorum when the fault began, next is the first other node that was seen to lead it.
	before, next int
	moved        time.Duration
	// unheard is the longest time that the leader had not heard of each.
	unheard map[int]time.Duration
	// lost is since when no broker knows who leads, or 0; leaderless is the longest such time.
	lost       history.Time
	leaderless time.Duration
}

// watchQuorum returns nil if every node that a fault hit keeps records.
func watchQuorum(f *harness.Field, v target.View, hit, asked []int) *quorumWatch {
	controllers := target.Without(hit, v.Nodes)
	if len(controllers) == 0 || len(asked) == 0 {
		return nil
	}
	return &quorumWatch{
		field: f, hit: controllers, asked: asked, start: history.Now(), before: v.Controller, unheard: map[int]time.Duration{},
	}
}

// quorumWithin bounds one question: a broker forwards it to the quorum's leader, and waits if there is none.
const quorumWithin = time.Second

// sample asks all brokers once, at the same time: another fault may have any of them.
func (q *quorumWatch) sample(ctx context.Context) {
	if q == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, quorumWithin)
	defer cancel()
	asked := history.Now()
	answers, errs := together.Ask(q.asked, func(node int) (ask.Quorum, error) {
		return q.field.Brokers().Only(node).Quorum(ctx)
	})
	var now *ask.Quorum
	for i := range answers {
		if errs[i] == nil {
			now = &answers[i]
		}
	}
	q.note(now, asked, history.Now(), time.Now())
}

// note takes one answer, nil if no broker had one. The leader's times are by the wall clock, which is the same machine's.
func (q *quorumWatch) note(now *ask.Quorum, asked, at history.Time, wall time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now == nil {
		if q.lost == 0 {
			q.lost = asked
		}
		q.leaderless = max(q.leaderless, at.Sub(q.lost))
		return
	}
	q.lost = 0
	if q.next == 0 && q.before > 0 && now.Leader != q.before {
		q.next, q.moved = now.Leader, at.Sub(q.start)
	}
	for _, node := range q.hit {
		if last := now.Heard[node]; last > 0 && node != now.Leader {
			silent := min(wall.Sub(time.UnixMilli(last)), at.Sub(q.start))
			q.unheard[node] = max(q.unheard[node], silent)
		}
	}
}

// reaction is how the quorum's leadership moved, "" if it didn't.
func (q *quorumWatch) reaction() string {
	if q == nil {
		return ""
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == 0 {
		return ""
	}
	return fmt.Sprintf("leader of the quorum: %d -> %d after %.1fs", q.before, q.next, q.moved.Seconds())
}

// proof is what the quorum shows of the controllers that were hit. It is every pipeline's, for all depend on the quorum.
func (q *quorumWatch) proof(done string) (string, bool) {
	if q == nil {
		return "", false
	}
	var texts []string
	for _, node := range q.hit {
		if seen := q.seenOf(node); seen != "" {
			texts = append(texts, fmt.Sprintf("%s controller %d; %s", done, node, seen))
		}
	}
	return strings.Join(texts, "; "), len(texts) > 0
}

// seenOf is what the quorum shows of one controller.
func (q *quorumWatch) seenOf(node int) string {
	moved := q.reaction()
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case node == q.before && moved != "":
		return moved
	case node == q.before && q.leaderless >= unheardAtLeast:
		return fmt.Sprintf("no broker could say for %.1fs who leads the quorum", q.leaderless.Seconds())
	case q.unheard[node] >= unheardAtLeast:
		return fmt.Sprintf("the quorum's leader did not hear of it for %.1fs", q.unheard[node].Seconds())
	}
	return ""
}

// OrByQuorum adds to a proof what the quorum shows of controllers that were hit.
func (i *Injection) OrByQuorum(done, proof string, hit bool) (string, bool) {
	quorum, too := i.watch.quorumProof(done)
	switch {
	case too && hit:
		proof += "; " + quorum
	case too:
		proof = quorum
	}
	return proof, hit || too
}
