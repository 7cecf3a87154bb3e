package kafkatoxic

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilters(t *testing.T) {
	r := newRig(t)
	topicID := [16]byte{1, 2, 3}
	for n, c := range []struct {
		name    string
		rule    Rule
		request []byte
		matches bool
	}{
		{"another API", onEndTxn(Cut, OnRequest), request(heartbeat(), 1, "client"), false},
		{"the client", Rule{APIs: []string{"Heartbeat"}, Clients: []string{"a", "client"}}, request(heartbeat(), 1, "client"), true},
		{"another client", Rule{APIs: []string{"Heartbeat"}, Clients: []string{"a"}}, request(heartbeat(), 1, "client"), false},
		{"the transaction", Rule{APIs: []string{"EndTxn"}, TransactionalIDs: []string{"txn"}}, request(endTxn("txn"), 1, "client"), true},
		{"another transaction", Rule{APIs: []string{"EndTxn"}, TransactionalIDs: []string{"txn"}}, request(endTxn("txn2"), 1, "client"), false},
		{"the topic", Rule{APIs: []string{"Produce"}, Topics: []string{"b"}}, request(produce(1, "a", "b"), 1, "client"), true},
		{"another topic", Rule{APIs: []string{"Produce"}, Topics: []string{"c"}}, request(produce(1, "a", "b"), 1, "client"), false},
		{"the topic's id", Rule{APIs: []string{"Produce"}, TopicIDs: []string{fmt.Sprintf("%x", topicID)}}, request(produceByID(topicID), 1, "client"), true},
		{"another topic's id", Rule{APIs: []string{"Produce"}, TopicIDs: []string{strings.Repeat("9", 32)}}, request(produceByID(topicID), 1, "client"), false},
		{"a response that never comes", Rule{APIs: []string{"Produce"}, On: OnResponse}, request(produce(0, "a"), 1, "client"), false},
		{"a request that isn't answered", Rule{APIs: []string{"Produce"}, Topics: []string{"a"}}, request(produce(0, "a"), 1, "client"), true},
	} {
		rule := c.rule
		rule.ID, rule.Op = fmt.Sprint("rule-", n), Cut
		if rule.On == "" {
			rule.On = OnRequest
		}
		r.arm(rule)
		p := r.dial()
		p.send(c.request)
		p.send(request(syncGroup(), 2, "another client")) // its answer shows that the first was let through
		if c.matches {
			assert.True(t, p.closed(), c.name)
		} else {
			for p.answer() != 2 {
				continue
			}
		}
		s := r.status(rule.ID, func(RuleStatus) bool { return true })
		assert.Equal(t, c.matches, s.Matched == 1, c.name)
		require.NoError(t, r.Forget(rule.ID))
	}
}

func TestUnparsableStreamsPass(t *testing.T) {
	r := newRig(t)
	r.broker.echoes()
	r.arm(onEndTxn(Cut, OnRequest))
	hello := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and so on"
	p := r.dial()
	for _, part := range []string{hello[:2], hello[2:7], hello[7:]} { // the answer to the second is one to the first, too
		p.send([]byte(part))
		if part == hello[:2] {
			continue // too little to tell
		}
		got := make([]byte, len(part))
		if part == hello[2:7] {
			got = make([]byte, 7)
		}
		require.NoError(t, p.SetReadDeadline(time.Now().Add(patience)))
		_, err := io.ReadFull(p, got)
		require.NoError(t, err, "what was kept of its beginning comes, too")
	}
	s, err := r.Status()
	require.NoError(t, err)
	assert.EqualValues(t, 1, s.Unparsable)
	assert.EqualValues(t, 1, s.Connections)
}

func TestCommandsAreChecked(t *testing.T) {
	r := newRig(t)
	good := Rule{ID: "rule", Op: Delay, On: OnRequest, APIs: []string{"endtxn"}, Millis: 5}
	for says, change := range map[string]func(*Rule){
		"id: a rule needs one":              func(r *Rule) { r.ID = "" },
		"op: expected hold":                 func(r *Rule) { r.Op = "explode" },
		"on: expected request":              func(r *Rule) { r.On = "" },
		"after: only for cut":               func(r *Rule) { r.After = true },
		"skip, times and millis":            func(r *Rule) { r.Times = -1 },
		"millis: a delay needs":             func(r *Rule) { r.Millis = 0 },
		"millis: only for hold":             func(r *Rule) { r.Op = Drop },
		"apis: expected at least one":       func(r *Rule) { r.APIs = nil },
		`apis: there is no API "EndTx"`:     func(r *Rule) { r.APIs = []string{"EndTx"} },
		"topics: endtxn carries none":       func(r *Rule) { r.Topics = []string{"t"} },
		"transactionalIDs: Fetch carries":   func(r *Rule) { r.APIs, r.TransactionalIDs = []string{"Fetch"}, []string{"t"} },
		"topicIDs: expected 32 hexadecimal": func(r *Rule) { r.APIs, r.TopicIDs = []string{"Fetch"}, []string{"xyz"} },
	} {
		bad := good
		change(&bad)
		err := r.Arm(bad)
		var api *toxiclient.ApiError
		require.ErrorAs(t, err, &api, says)
		assert.Equal(t, http.StatusBadRequest, api.Status)
		assert.ErrorContains(t, err, says)
	}
	_, err := r.proxy.UpdateToxic(RequestType, -1, toxiclient.Attributes{"dsiarm": "rule"})
	require.Error(t, err, "an unknown command")
	_, err = r.proxy.UpdateToxic(ResponseType, -1, toxiclient.Attributes{"arm": good})
	require.Error(t, err, "the response side takes none")
	s, err := r.Status()
	require.NoError(t, err)
	assert.Empty(t, s.Rules, "nothing of it was done")
	assert.Equal(t, OpPass, s.Op)

	r.arm(good)
	r.arm(good) // an answer may have been lost
	changed := good
	changed.Millis = 7
	require.ErrorContains(t, r.Arm(changed), `there is another rule "rule"`)
	require.NoError(t, r.Disarm("rule"))
	require.NoError(t, r.Disarm("rule"))
	require.NoError(t, r.Disarm("nobody"))
	require.NoError(t, r.Release("nobody"))
	require.ErrorContains(t, r.Arm(good), "there is another rule", "its counters are still of the first")
	require.NoError(t, r.Forget("rule"))
	r.arm(good)
	for n := range maxKept + 10 {
		rule := good
		rule.ID = fmt.Sprint("more-", n)
		r.arm(rule)
		require.NoError(t, r.Disarm(rule.ID))
	}
	s, err = r.Status()
	require.NoError(t, err)
	assert.Len(t, s.Rules, maxKept)
	assert.True(t, s.Rules[0].Armed, "those at work are kept")
}

func TestNotPrepared(t *testing.T) {
	r := newRig(t)
	require.NoError(t, r.proxy.RemoveToxic(RequestType))
	require.ErrorIs(t, r.Arm(onEndTxn(Hold, OnRequest)), ErrNotPrepared)
	_, err := r.Status()
	require.ErrorIs(t, err, ErrNotPrepared)
	_, err = NewRemote(r.client, "nobody").Status()
	require.Error(t, err)
}

// TestRemovalHandsOver takes the toxics off under a held request: every byte arrives.
func TestRemovalHandsOver(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Hold, OnRequest))
	p := r.dial()
	p.send(append(request(endTxn("txn"), 1, "client"), request(heartbeat(), 2, "client")[:9]...))
	r.status("rule", func(s RuleStatus) bool { return s.Waiting == 1 })
	require.NoError(t, r.proxy.RemoveToxic(RequestType))
	p.send(request(heartbeat(), 2, "client")[9:])
	assert.EqualValues(t, 1, p.answer(), "its id is restored")
	assert.EqualValues(t, 2, p.answer())
	require.NoError(t, r.proxy.RemoveToxic(ResponseType))
	assert.EqualValues(t, 3, p.ask(heartbeat(), 3))
}

// TestNextToStockToxics arms and heals while Toxiproxy's own toxics come and go behind.
func TestNextToStockToxics(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	for n := int32(1); n <= 10; n++ {
		_, err := r.proxy.AddToxic("slow", "latency", "upstream", 1, toxiclient.Attributes{"latency": 1})
		require.NoError(t, err)
		r.arm(Rule{ID: "rule", Op: Delay, On: OnResponse, APIs: []string{"EndTxn"}, Millis: 1})
		assert.Equal(t, n, p.ask(endTxn("txn"), n))
		require.NoError(t, r.proxy.RemoveToxic("slow"))
		assert.Equal(t, 100+n, p.ask(heartbeat(), 100+n))
		require.NoError(t, r.Forget("rule"))
	}
	r.broker.awaits(t, 20)
}

// TestTheBrokerGoesWhileARequestIsHeld is a broker that dies under a held request.
func TestTheBrokerGoesWhileARequestIsHeld(t *testing.T) {
	r := newRig(t)
	r.arm(onEndTxn(Hold, OnRequest))
	p := r.dial()
	assert.EqualValues(t, 1, p.ask(heartbeat(), 1))
	p.send(request(endTxn("txn"), 2, "client"))
	r.status("rule", func(s RuleStatus) bool { return s.Waiting == 1 })
	r.broker.drop()
	assert.True(t, p.closed())
	require.NoError(t, r.Disarm("rule"))
	s := r.status("rule", func(s RuleStatus) bool { return s.Waiting == 0 && s.Unanswered == 0 })
	assert.Zero(t, s.Answered)
}
