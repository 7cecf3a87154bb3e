package kafkatoxic

import (
	"strconv"
	"sync"

	"github.com/chaeos/chaeos/toxics/frames"
)

// The mark in the top three bits of a correlation id. They are looked at together: clients count up from 0 and don't come
// near it, Java reserves 2147483640 to 2147483647, whose top three bits are 0b011.
const (
	markShift = 29
	mark      = 0b010
	// maxTickets bounds the requests that are marked and not answered at one time.
	maxTickets = 1 << 16
)

// ticket is what the response side needs to know of a marked request.
type ticket struct {
	correlation  int32 // the request's own
	key, version int16
	rule         *armed
}

// tickets are the marked requests on their way in this process. They need no connection's identity: the broker carries the
// number from the one direction to the other.
var tickets = struct {
	mu   sync.Mutex
	open map[int32]ticket
	last uint32
}{open: map[int32]ticket{}}

func marked(correlation int32) bool { return uint32(correlation)>>markShift == mark }

// issue makes a ticket and returns the marked correlation id; false when too many are open.
func issue(head frames.Request, rule *armed) (int32, bool) {
	tickets.mu.Lock()
	defer tickets.mu.Unlock()
	if len(tickets.open) >= maxTickets {
		return 0, false
	}
	for {
		tickets.last = (tickets.last + 1) & (1<<markShift - 1)
		id := int32(mark<<markShift | tickets.last)
		if _, taken := tickets.open[id]; !taken {
			tickets.open[id] = ticket{correlation: head.Correlation, key: head.Key, version: head.Version, rule: rule}
			rule.count(func(c *Counters) { c.Unanswered++ })
			return id, true
		}
	}
}

// redeem takes a ticket in.
func redeem(id int32) (ticket, bool) {
	tickets.mu.Lock()
	defer tickets.mu.Unlock()
	t, ok := tickets.open[id]
	if ok {
		delete(tickets.open, id)
		t.rule.count(func(c *Counters) { c.Unanswered-- })
	}
	return t, ok
}

// isOpen says whether a ticket was not redeemed yet.
func isOpen(id int32) bool {
	tickets.mu.Lock()
	defer tickets.mu.Unlock()
	_, ok := tickets.open[id]
	return ok
}

// answered records the codes in a response; body is nil where it could not be kept whole.
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
