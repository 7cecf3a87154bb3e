package kafkatoxic

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/toxics/frames"
)

// Op is what is done to a frame that matches.
type Op string

const (
	// Hold keeps the frame, and what is behind it on its connection, until the rule is released or disarmed, or for Millis. A held
	// request is delivered even if its client has closed the connection.
	Hold Op = "hold"
	// Delay keeps it for Millis, counted from its arrival.
	Delay Op = "delay"
	// Drop swallows it and all that is behind it on its connection. The connection stays open and silent until the client gives it
	// up, or the rule is released or disarmed, which closes it.
	Drop Op = "drop"
	// Cut closes the connection, before the frame is passed on or right after it.
	Cut Op = "cut"
)

// Side is the frame of an exchange that is meant.
type Side string

// The sides.
const (
	OnRequest  Side = "request"
	OnResponse Side = "response"
)

// Rule is which requests are picked, and what happens to them or to their responses.
type Rule struct {
	// ID names the rule at its toxic.
	ID string `json:"id"`
	// Share names a count: rules of the same Share count matches together, over all proxies of a server. A rule without one counts
	// alone.
	Share string `json:"share,omitempty"`
	Op    Op     `json:"op"`
	On    Side   `json:"on"`
	// After means that Cut lets the frame pass first.
	After bool `json:"after,omitempty"`
	// APIs are names of the protocol ("EndTxn"), at least one.
	APIs []string `json:"apis"`
	// One of each list must occur in a request: of Clients (client ids), of TransactionalIDs, and of Topics and TopicIDs
	// (hexadecimal) together. An empty list matches everything.
	Clients          []string `json:"clients,omitempty"`
	TransactionalIDs []string `json:"transactionalIDs,omitempty"`
	Topics           []string `json:"topics,omitempty"`
	TopicIDs         []string `json:"topicIDs,omitempty"`
	// Skip is how many matches pass first, Times how many are acted on after that; 0 is every one.
	Skip  int64 `json:"skip,omitempty"`
	Times int64 `json:"times,omitempty"`
	// Millis is how long a delay lasts, and at most a hold (0: until it is released).
	Millis int64 `json:"millis,omitempty"`
}

// maxMillis bounds waits: a day.
const maxMillis = 24 * 60 * 60 * 1000

func (r Rule) check() error {
	switch {
	case r.ID == "":
		return errors.New("id: a rule needs one")
	case !slices.Contains([]Op{Hold, Delay, Drop, Cut}, r.Op):
		return fmt.Errorf("op: expected hold, delay, drop or cut, not %q", r.Op)
	case r.On != OnRequest && r.On != OnResponse:
		return fmt.Errorf("on: expected request or response, not %q", r.On)
	case r.After && r.Op != Cut:
		return errors.New("after: only for cut")
	case r.Skip < 0 || r.Times < 0 || r.Millis < 0 || r.Millis > maxMillis:
		return fmt.Errorf("skip, times and millis: expected 0 or more, millis at most %d", maxMillis)
	case r.Op == Delay && r.Millis == 0:
		return errors.New("millis: a delay needs its length")
	case r.Millis > 0 && r.Op != Hold && r.Op != Delay:
		return errors.New("millis: only for hold and delay")
	case len(r.APIs) == 0:
		return errors.New("apis: expected at least one")
	}
	return nil
}

// APIKey returns the number of the named API ("EndTxn"); case does not matter.
func APIKey(name string) (int16, bool) {
	for key := range int16(kmsg.MaxKey + 1) {
		if strings.EqualFold(kmsg.NameForKey(key), name) {
			return key, true
		}
	}
	return 0, false
}

// matcher is a checked rule in a form that frames can be compared with.
type matcher struct {
	Rule
	keys     []int16
	topicIDs [][16]byte
	wait     time.Duration
}

func newMatcher(r Rule) (*matcher, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	m := &matcher{Rule: r, wait: time.Duration(r.Millis) * time.Millisecond}
	for _, name := range r.APIs {
		key, ok := APIKey(name)
		if !ok {
			return nil, fmt.Errorf("apis: there is no API %q", name)
		}
		transaction, topic := frames.Carries(key)
		if len(r.TransactionalIDs) > 0 && !transaction {
			return nil, fmt.Errorf("transactionalIDs: %s carries none", name)
		}
		if len(r.Topics)+len(r.TopicIDs) > 0 && !topic {
			return nil, fmt.Errorf("topics: %s carries none", name)
		}
		m.keys = append(m.keys, key)
	}
	for _, text := range r.TopicIDs {
		id, err := hex.DecodeString(text)
		if err != nil || len(id) != 16 {
			return nil, fmt.Errorf("topicIDs: expected 32 hexadecimal digits, not %q", text)
		}
		m.topicIDs = append(m.topicIDs, [16]byte(id))
	}
	return m, nil
}

// picks reports whether a request can match, as far as its head shows.
func (m *matcher) picks(head frames.Request) bool {
	return slices.Contains(m.keys, head.Key) && (len(m.Clients) == 0 || slices.Contains(m.Clients, head.ClientID))
}

// needsBody reports whether a request's body must be seen: for a filter, because a Produce request's body decides whether it will be
// answered, or because the connection is to be cut behind it.
func (m *matcher) needsBody(head frames.Request) bool {
	return m.filters() || m.On == OnResponse && head.Key == int16(kmsg.Produce) || m.On == OnRequest && m.After
}

func (m *matcher) filters() bool { return len(m.TransactionalIDs)+len(m.Topics)+len(m.topicIDs) > 0 }

// answerable reports whether responses to matched requests are looked at: not if the broker never gets the requests.
func (m *matcher) answerable() bool {
	return m.On == OnResponse || m.Op == Hold || m.Op == Delay || m.After
}

// matches reports whether a picked request matches, now that its facts are known.
func (m *matcher) matches(f frames.Facts) bool {
	switch {
	case m.On == OnResponse && f.Unanswered:
		return false
	case len(m.TransactionalIDs) > 0 && !meet(m.TransactionalIDs, f.TransactionalIDs):
		return false
	case len(m.Topics)+len(m.topicIDs) == 0:
		return true
	}
	return meet(m.Topics, f.Topics) || meet(m.topicIDs, f.TopicIDs)
}

func meet[T comparable](a, b []T) bool {
	return slices.ContainsFunc(b, func(v T) bool { return slices.Contains(a, v) })
}
