package kafkatoxic

import (
	"sync"
	"time"
)

// Counters are what one rule did at one proxy.
type Counters struct {
	// Seen counts the matches of the rule's share, over all proxies, up to the last one that is acted on.
	Seen int64 `json:"seen"`
	// Matched counts the matches that were acted on here.
	Matched int64 `json:"matched"`
	// Waiting is how many frames are held or delayed now; Longest is the longest that any was, in milliseconds.
	Waiting int64 `json:"waiting"`
	Longest int64 `json:"longest"`
	// Late counts held requests that were delivered after their client had closed the connection.
	Late int64 `json:"late"`
	// Dropped frames were swallowed; Cut connections were closed.
	Dropped int64 `json:"dropped"`
	Cut     int64 `json:"cut"`
	// Answered counts responses to matched requests that came from the broker; Unanswered is how many may still come.
	Answered   int64 `json:"answered"`
	Unanswered int64 `json:"unanswered"`
	// Codes counts the error codes in those responses ("0": none), each once per response.
	Codes map[string]int64 `json:"codes,omitempty"`
	// Unread counts responses that are too large, or of a version too new, to look for codes in.
	Unread int64 `json:"unread,omitempty"`
}

// armed is a rule at work at one proxy.
type armed struct {
	*matcher
	budgets *budgets
	budget  *budget

	mu     sync.Mutex
	off    bool          // disarmed: kept for its counters
	gate   chan struct{} // closed when what waits at it may go
	counts Counters
}

func arm(m *matcher, from *budgets) *armed {
	return &armed{
		matcher: m, budgets: from, budget: from.use(m.Rule), gate: make(chan struct{}), counts: Counters{Codes: map[string]int64{}},
	}
}

// release lets go what waits. While the rule is armed, later matches wait again.
func (a *armed) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.off {
		close(a.gate)
		a.gate = make(chan struct{})
	}
}

// disarm lets go what waits, for good.
func (a *armed) disarm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.off {
		a.off = true
		close(a.gate)
		a.budgets.leave(a.Rule)
	}
}

// count changes the counters.
func (a *armed) count(change func(*Counters)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.counts)
}

// begin counts a frame that begins to wait, and returns what it waits for.
func (a *armed) begin(arrived time.Time) *hold {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts.Waiting++
	h := &hold{rule: a, gate: a.gate, since: arrived}
	if a.wait > 0 {
		h.until = arrived.Add(a.wait)
	}
	return h
}

// end counts a frame that has waited.
func (a *armed) end(h *hold) {
	a.count(func(c *Counters) {
		c.Waiting--
		c.Longest = max(c.Longest, time.Since(h.since).Milliseconds())
	})
}

// barrier is the gate as it is now.
func (a *armed) barrier() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gate
}

// report is the rule as the API shows it.
func (a *armed) report() RuleStatus {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := RuleStatus{Rule: a.Rule, Armed: !a.off, Counters: a.counts}
	s.Seen = a.budget.seen.Load()
	s.Codes = map[string]int64{}
	for code, n := range a.counts.Codes {
		s.Codes[code] = n
	}
	return s
}

func (a *armed) isOff() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.off
}
