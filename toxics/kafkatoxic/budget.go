package kafkatoxic

import (
	"sync"
	"sync/atomic"
)

// budget counts the matches of all rules of one Share: a retry of a request on a new connection, or through another broker's
// proxy, is the next match.
type budget struct {
	skip, times int64
	seen        atomic.Int64
	users       int // guarded by the budgets' lock
}

// take counts a match and reports whether it is one to act on.
func (b *budget) take() bool {
	n := b.seen.Add(1)
	return n > b.skip && (b.times == 0 || n <= b.skip+b.times)
}

// spent reports whether no further match will be acted on.
func (b *budget) spent() bool { return b.times > 0 && b.seen.Load() >= b.skip+b.times }

// budgets are those in use at one server, by Share.
type budgets struct {
	mu      sync.Mutex
	byShare map[string]*budget
}

// use returns the budget of a rule's share, or one of its own where it shares none; the first rule that uses a budget says
// how large it is.
func (b *budgets) use(r Rule) *budget {
	fresh := &budget{skip: r.Skip, times: r.Times}
	if r.Share == "" {
		return fresh
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	shared := b.byShare[r.Share]
	if shared == nil {
		shared = fresh
		b.byShare[r.Share] = shared
	}
	shared.users++
	return shared
}

// leave ends one rule's use of its share's budget.
func (b *budgets) leave(r Rule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if shared := b.byShare[r.Share]; shared != nil {
		if shared.users--; shared.users == 0 {
			delete(b.byShare, r.Share)
		}
	}
}
