package kafkatoxic

import (
	"sync"
	"sync/atomic"
)

// budget counts the matches of all rules of one Share: the retry of a request on a new connection, or over another
// broker's proxy, is the next match.
type budget struct {
	skip, times int64
	seen        atomic.Int64
	users       int // guarded by budgets.mu
}

// take counts a match and says whether it is one to act on.
func (b *budget) take() bool {
	n := b.seen.Add(1)
	return n > b.skip && (b.times == 0 || n <= b.skip+b.times)
}

// spent says that no further match will be acted on.
func (b *budget) spent() bool { return b.times > 0 && b.seen.Load() >= b.skip+b.times }

// budgets are those in use in this process, by Share.
var budgets = struct {
	mu      sync.Mutex
	byShare map[string]*budget
}{byShare: map[string]*budget{}}

// useBudget returns the budget of a rule's share, or one of its own where it shares none; the first rule that uses a budget
// says how large it is.
func useBudget(r Rule) *budget {
	fresh := &budget{skip: r.Skip, times: r.Times}
	if r.Share == "" {
		return fresh
	}
	budgets.mu.Lock()
	defer budgets.mu.Unlock()
	b := budgets.byShare[r.Share]
	if b == nil {
		b = fresh
		budgets.byShare[r.Share] = b
	}
	b.users++
	return b
}

func leaveBudget(r Rule) {
	budgets.mu.Lock()
	defer budgets.mu.Unlock()
	if b := budgets.byShare[r.Share]; b != nil {
		if b.users--; b.users == 0 {
			delete(budgets.byShare, r.Share)
		}
	}
}
