package inject

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/target"
)

// unheardAtLeast is how long a controller must be silent for that to be a fault's doing: those that follow the quorum's
// leader ask it twice a second.
const unheardAtLeast = 1500 * time.Millisecond

// quorumWatch follows what a fault does to controllers that keep no records. No client has a link to them and they lead
// nothing, so it is seen in the quorum, of which the brokers tell. A nil one follows nothing.
type quorumWatch struct {
	field *harness.Field
	// hit are the controllers that the fault hit, asked the brokers that it didn't.
	hit, asked []int
	start      history.Time

	mu sync.Mutex
	// before led the quorum when the fault began, next is who was first seen to lead it instead.
	before, next int
	moved        time.Duration
	// unheard is how long the leader has not heard of each at the longest.
	unheard map[int]time.Duration
	// lost is since when no broker can say who leads, or 0; leaderless is the longest such time.
	lost       history.Time
	leaderless time.Duration
}

// watchQuorum returns nil where every node that a fault hit keeps records.
func watchQuorum(f *harness.Field, v target.View, hit, asked []int) *quorumWatch {
	controllers := target.Without(hit, v.Nodes)
	if len(controllers) == 0 || len(asked) == 0 {
		return nil
	}
	return &quorumWatch{
		field: f, hit: controllers, asked: asked, start: history.Now(), before: v.Controller, unheard: map[int]time.Duration{},
	}
}

// quorumWithin bounds one question: a broker forwards it to the quorum's leader, and waits where there is none.
const quorumWithin = time.Second

// sample asks the brokers once, all at the same time: any of them may be another fault's.
func (q *quorumWatch) sample(ctx context.Context) {
	if q == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, quorumWithin)
	defer cancel()
	asked := history.Now()
	answers, _ := together.Ask(q.asked, func(node int) (map[int]int64, error) {
		return harness.QuorumHeard(ctx, q.field.Admin, []int{node})
	})
	var heard map[int]int64
	for _, answer := range answers {
		if answer != nil {
			heard = answer
		}
	}
	q.note(heard, asked, history.Now(), time.Now())
}

// note takes one answer: when the leader last heard of each node, by the wall clock of this machine, which is theirs; nil
// where no broker had one. The leader itself is always heard.
func (q *quorumWatch) note(heard map[int]int64, asked, at history.Time, wall time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if heard == nil {
		if q.lost == 0 {
			q.lost = asked
		}
		q.leaderless = max(q.leaderless, at.Sub(q.lost))
		return
	}
	q.lost = 0
	for node, last := range heard {
		switch {
		case last == math.MaxInt64:
			if q.next == 0 && q.before > 0 && node != q.before {
				q.next, q.moved = node, at.Sub(q.start)
			}
		case last > 0 && slices.Contains(q.hit, node):
			silent := min(wall.Sub(time.UnixMilli(last)), at.Sub(q.start))
			q.unheard[node] = max(q.unheard[node], silent)
		}
	}
}

// reaction says how the quorum's leadership moved, "" where it didn't.
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

// proof says by the quorum that controllers were hit, for every pipeline: all of them hang on it.
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

// seenOf is what the brokers told of one controller's fault.
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
