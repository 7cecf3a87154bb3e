package kafkatoxic

import (
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	endTxnKey    = 26
	produceKey   = 0
	heartbeatKey = 12
)

func onEndTxn(op Op, on Side) Rule {
	return Rule{ID: "rule", Op: op, On: on, APIs: []string{"EndTxn"}, Times: 1}
}

// TestHoldOutlivesTheClient is the late request: the client gives up, its retry passes, and the first arrives afterwards.
func TestHoldOutlivesTheClient(t *testing.T) {
	r := newRig(t)
	r.broker.answersWith(90)
	r.arm(onEndTxn(Hold, OnRequest))
	first := r.dial()
	first.send(request(endTxn("txn"), 7, "client"))
	r.status("rule", func(s RuleStatus) bool { return s.Waiting == 1 })
	assert.True(t, first.silent())
	first.Close()

	retry := r.dial()
	assert.EqualValues(t, 8, retry.ask(endTxn("txn"), 8), "the retry passes")
	require.Len(t, r.broker.awaits(t, 1), 1)

	require.NoError(t, r.Release("rule"))
	late := r.broker.awaits(t, 2)[1]
	assert.EqualValues(t, endTxnKey, late.key)
	s := r.status("rule", func(s RuleStatus) bool { return s.Answered == 1 })
	assert.EqualValues(t, 1, s.Late)
	assert.EqualValues(t, 1, s.Matched)
	assert.Equal(t, map[string]int64{"90": 1}, s.Codes, "the answer that is never read is recorded")
	assert.Zero(t, s.Waiting)
	assert.Positive(t, s.Longest)
	assert.True(t, s.Armed)
}

func TestHoldKeepsTheOrder(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Hold, OnRequest))
	c := r.dial()
	c.send(append(request(heartbeat(), 1, "client"), append(request(endTxn("txn"), 2, "client"), request(heartbeat(), 3, "client")...)...))
	assert.EqualValues(t, 1, c.answer(), "what is before passes")
	assert.True(t, c.silent(), "what is behind waits")
	other := r.dial()
	assert.EqualValues(t, 9, other.ask(heartbeat(), 9), "other connections don't")
	require.NoError(t, r.Disarm("rule"))
	assert.EqualValues(t, 2, c.answer(), "with its own id")
	assert.EqualValues(t, 3, c.answer())
	s := r.status("rule", func(s RuleStatus) bool { return s.Answered == 1 })
	assert.False(t, s.Armed)
	assert.Zero(t, s.Late)
	assert.Zero(t, s.Unanswered)
	all, err := r.Status()
	require.NoError(t, err)
	assert.Equal(t, OpPass, all.Op)
	require.NoError(t, r.Forget("rule"))
	all, err = r.Status()
	require.NoError(t, err)
	assert.Empty(t, all.Rules)
}

func TestHoldEndsByItself(t *testing.T) {
	for _, on := range []Side{OnRequest, OnResponse} {
		r := newRig(t)
		rule := onEndTxn(Hold, on)
		rule.Millis = 200
		r.arm(rule)
		begin := time.Now()
		assert.EqualValues(t, 5, r.dial().ask(endTxn("txn"), 5))
		assert.GreaterOrEqual(t, time.Since(begin), 190*time.Millisecond, on)
	}
}

func TestHoldResponse(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Hold, OnResponse))
	c := r.dial()
	c.send(request(endTxn("txn"), 5, "client"))
	r.broker.awaits(t, 1)
	r.status("rule", func(s RuleStatus) bool { return s.Waiting == 1 && s.Answered == 1 })
	assert.True(t, c.silent())
	require.NoError(t, r.Disarm("rule"))
	assert.EqualValues(t, 5, c.answer())
}

func TestDelayCountsFromTheArrival(t *testing.T) {
	for _, on := range []Side{OnRequest, OnResponse} {
		r := newRig(t)
		r.arm(Rule{ID: "rule", Op: Delay, On: on, APIs: []string{"EndTxn"}, Millis: 300})
		c := r.dial()
		begin := time.Now()
		c.send(append(request(endTxn("txn"), 1, "client"), request(endTxn("txn"), 2, "client")...))
		assert.EqualValues(t, 1, c.answer())
		assert.GreaterOrEqual(t, time.Since(begin), 290*time.Millisecond, on)
		assert.EqualValues(t, 2, c.answer())
		r.status("rule", func(s RuleStatus) bool { return s.Matched == 2 && s.Answered == 2 && s.Waiting == 0 })
	}
}

// Those that come together leave together: each waits from its own arrival, not from when the one before it went.
func TestDelaysOfOneChunkEndTogether(t *testing.T) {
	up := armedToxic(t, &Rule{ID: "rule", Op: Delay, On: OnRequest, APIs: []string{"EndTxn"}, Millis: 300})
	r := up.NewState().(*requests)
	arrived := time.Now()
	r.take(&stream.StreamChunk{
		Data: append(request(endTxn("txn"), 1, "client"), request(endTxn("txn"), 2, "client")...), Timestamp: arrived,
	})
	var holds []*hold
	for len(holds) < 2 {
		r.parse() // up to the next step that must be waited for
		for _, step := range r.steps {
			if step.hold != nil {
				holds = append(holds, step.hold)
			}
		}
		r.steps = nil // it has waited
	}
	for _, h := range holds {
		assert.Equal(t, arrived.Add(300*time.Millisecond), h.until)
	}
}

func TestDropRequest(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Drop, OnRequest))
	c := r.dial()
	c.send(append(request(endTxn("txn"), 1, "client"), request(heartbeat(), 2, "client")...))
	r.status("rule", func(s RuleStatus) bool { return s.Dropped == 1 })
	assert.True(t, c.silent())
	assert.Empty(t, r.broker.has(), "neither it nor what is behind arrives")
	assert.EqualValues(t, 3, r.dial().ask(endTxn("txn"), 3), "the next connection is not touched")
	require.NoError(t, r.Disarm("rule"))
	assert.True(t, c.closed(), "a stream that lacks bytes can't go on")
}

func TestDropResponse(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Drop, OnResponse))
	c := r.dial()
	c.send(request(endTxn("txn"), 1, "client"))
	r.broker.awaits(t, 1)
	r.status("rule", func(s RuleStatus) bool { return s.Dropped == 1 && s.Codes["0"] == 1 })
	assert.True(t, c.silent())
	require.NoError(t, r.Disarm("rule"))
	assert.True(t, c.closed())
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		on       Side
		after    bool
		arrives  int
		answered bool
	}{{OnRequest, false, 0, false}, {OnRequest, true, 1, false}, {OnResponse, false, 1, false}, {OnResponse, true, 1, true}} {
		r := newRig(t)
		rule := onEndTxn(Cut, c.on)
		rule.After = c.after
		r.arm(rule)
		p := r.dial()
		p.send(request(endTxn("txn"), 4, "client"))
		if c.answered {
			assert.EqualValues(t, 4, p.answer())
		}
		if c.on == OnRequest && c.after {
			_ = p.SetReadDeadline(time.Now().Add(patience)) // the answer may be quicker than the cut
			_, err := readFrame(p)
			for err == nil {
				_, err = readFrame(p)
			}
		} else {
			assert.True(t, p.closed(), "%+v", c)
		}
		r.broker.awaits(t, c.arrives)
		s := r.status("rule", func(s RuleStatus) bool { return s.Cut == 1 && s.Unanswered == 0 })
		assert.EqualValues(t, 1, s.Matched)
		assert.EqualValues(t, 2, r.dial().ask(endTxn("txn"), 2), "once only")
	}
}

func TestSkipAndTimes(t *testing.T) {
	r := newRig(t)
	r.arm(Rule{ID: "rule", Op: Cut, On: OnResponse, APIs: []string{"EndTxn"}, Skip: 2, Times: 1})
	for n := range int32(5) {
		c := r.dial() // the count goes over connections
		c.send(request(endTxn("txn"), n, "client"))
		if n == 2 {
			assert.True(t, c.closed(), "the third")
		} else {
			assert.Equal(t, n, c.answer())
		}
	}
	r.broker.awaits(t, 5)
	s := r.status("rule", func(s RuleStatus) bool { return s.Answered == 1 })
	assert.EqualValues(t, 1, s.Matched)
	assert.EqualValues(t, 3, s.Seen, "counted up to the last that is acted on")
}

func TestSharedCount(t *testing.T) {
	r := newRig(t)
	otherProxy, other := r.addProxy("other")
	rule := onEndTxn(Cut, OnRequest)
	rule.Share = "both"
	r.arm(rule)
	require.NoError(t, other.Arm(rule))
	c := r.dial()
	c.send(request(endTxn("txn"), 1, "client"))
	assert.True(t, c.closed())
	assert.EqualValues(t, 2, dial(t, otherProxy.Listen).ask(endTxn("txn"), 2), "the retry over another proxy passes")
	require.NoError(t, r.Disarm("rule"))
	require.NoError(t, other.Disarm("rule"))
	shared := &new(sharing).exchange().budgets
	shared.mu.Lock()
	defer shared.mu.Unlock()
	assert.NotContains(t, shared.byShare, "both", "nothing is left")
}

// TestOverlap has two rules on one proxy, healed in the order of their arming.
func TestOverlap(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Hold, OnRequest))
	r.arm(Rule{ID: "second", Op: Cut, On: OnResponse, APIs: []string{"Heartbeat"}})
	held, cut := r.dial(), r.dial()
	held.send(request(endTxn("txn"), 1, "client"))
	cut.send(request(heartbeat(), 2, "client"))
	assert.True(t, cut.closed())
	assert.True(t, held.silent(), "to arm another rule releases nothing")
	require.NoError(t, r.Disarm("second"))
	assert.True(t, held.silent(), "nor does to disarm it")
	require.NoError(t, r.Disarm("rule"))
	assert.EqualValues(t, 1, held.answer())
}

// TestUpdateWhilePeerDoesNotRead fills a link whose broker has stopped reading: an update must not wait for it.
func TestUpdateWhilePeerDoesNotRead(t *testing.T) {
	r := newRig(t)
	deaf := newDeafBroker(t)
	proxy, err := r.client.CreateProxy("deaf", "127.0.0.1:0", deaf)
	require.NoError(t, err)
	require.NoError(t, Prepare(proxy))
	remote := NewRemote(r.client, "deaf")
	c := dial(t, proxy.Listen)
	bulk := request(produce(1, "topic"), 1, "client")
	for { // until the buffers are full
		_ = c.SetWriteDeadline(time.Now().Add(moment))
		if _, err := c.Write(bulk); err != nil {
			break
		}
	}
	require.NoError(t, remote.Arm(onEndTxn(Hold, OnRequest)), "its client gives up after a while")
	require.NoError(t, remote.Disarm("rule"))
}

// TestARuleThatIsReleasedHoldsTheNext lets one held request go, and the rule holds another.
func TestARuleThatIsReleasedHoldsTheNext(t *testing.T) {
	r := newRig(t)
	rule := onEndTxn(Hold, OnRequest)
	rule.Times = 0
	r.arm(rule)
	c := r.dial()
	for n := range int32(3) {
		c.send(request(endTxn("txn"), n, "client"))
		r.status("rule", func(s RuleStatus) bool { return s.Waiting == 1 && s.Matched == int64(n)+1 })
		require.NoError(t, r.Release("rule"))
		assert.Equal(t, n, c.answer())
	}
}
