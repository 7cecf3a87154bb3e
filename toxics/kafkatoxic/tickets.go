package kafkatoxic

import (
	"strconv"
	"sync"

	"github.com/chaeos/chaeos/toxics/frames"
)

// The mark in the top three bits of a correlation id. Clients count up from 0 and don't come near it; Java reserves 2147483640 to
// 2147483647, whose top three bits are 0b011.
const (
	markShift = 29
	mark      = 0b010
	// maxTickets bounds the requests that are marked and not answered at one time.
	maxTickets = 1 << 16
)

// ticket is what the response side needs to know about a marked request.
type ticket struct {
	correlation  int32 // the request's own
	key, version int16
	rule         *armed
}

// tickets are the marked requests on their way through one server. They need no connection's identity: the broker carries
// the number from the one direction to the other.
type tickets struct {
	mu   sync.Mutex
	open map[int32]ticket
	last uint32
}

func marked(correlation int32) bool { return uint32(correlation)>>markShift == mark }

// issue makes a ticket and returns the marked correlation id; false if too many are open.
func (t *tickets) issue(head frames.Request, rule *armed) (int32, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) >= maxTickets {
		return 0, false
	}
	for {
		t.last = (t.last + 1) & (1<<markShift - 1)
		id := int32(mark<<markShift | t.last)
		if _, taken := t.open[id]; !taken {
			t.open[id] = ticket{correlation: head.Correlation, key: head.Key, version: head.Version, rule: rule}
			rule.count(func(c *Counters) { c.Unanswered++ })
			return id, true
		}
	}
}

// redeem takes a ticket back, if it is open.
func (t *tickets) redeem(id int32) (ticket, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.open[id]
	if ok {
		delete(t.open, id)
		one.rule.count(func(c *Counters) { c.Unanswered-- })
	}
	return one, ok
}

// isOpen reports whether a ticket was not redeemed yet.
func (t *tickets) isOpen(id int32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.open[id]
	return ok
}

// answered records the codes in a response; body is nil if it could not be kept whole.
func (t ticket) answered(body []byte) {
	var codes []int16
	err := errTooLarge
	if body != nil {
		codes, err = frames.Codes(t.key, t.version, body)
	}
	t.rule.count(func(c *Counters) {
		c.Answered++
		if err != nil {
			c.Unread++
		}
		for _, code := range codes {
			c.Codes[strconv.Itoa(int(code))]++
		}
	})
}
