package kafkatoxic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/toxics/frames"
)

// toxic is what both toxics are.
type toxic interface {
	toxics.Toxic
	NewState() any
}

// through puts a stream through a toxic in chunks, as Toxiproxy does, and returns what comes out.
func through(t *testing.T, with toxic, data []byte, sizes func(left int) int, interrupts int) []byte {
	t.Helper()
	in, out := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
	stub := toxics.NewToxicStub(in, out)
	stub.State = with.NewState()
	wrapper := &toxics.ToxicWrapper{Toxic: with, Toxicity: 1}
	go stub.Run(wrapper)
	got := make(chan []byte)
	go func() {
		var all []byte
		for c := range out {
			all = append(all, c.Data...)
		}
		got <- all
	}()
	for left := data; len(left) > 0; {
		n := max(1, min(len(left), sizes(len(left))))
		in <- &stream.StreamChunk{Data: bytes.Clone(left[:n]), Timestamp: time.Now()}
		left = left[n:]
		if interrupts > 0 && len(left)%interrupts == 0 && stub.InterruptToxic() {
			go stub.Run(wrapper)
		}
	}
	close(in)
	select {
	case all := <-got:
		return all
	case <-time.After(patience):
		require.Fail(t, "the stream did not end")
		return nil
	}
}

func capturedStreams(t *testing.T) (requests, responses []byte) {
	t.Helper()
	dir := filepath.Join("..", "frames", "testdata")
	requests, err := os.ReadFile(filepath.Join(dir, "requests.bin"))
	require.NoError(t, err)
	responses, err = os.ReadFile(filepath.Join(dir, "responses.bin"))
	require.NoError(t, err)
	return requests, responses
}

// correlations goes through a stream of frames and changes their correlation ids, which are at a fixed offset.
func correlations(data []byte, at int, change func(n int, id int32) int32) []byte {
	data = bytes.Clone(data)
	n := 0
	for left := data; len(left) > 0; n++ {
		id := int32(binary.BigEndian.Uint32(left[at:]))
		binary.BigEndian.PutUint32(left[at:], uint32(change(n, id)))
		left = left[4+binary.BigEndian.Uint32(left):]
	}
	return data
}

// TestEveryChunking puts captured streams through both toxics, with a rule that marks every request of some kinds, in every
// chunking and with interruptions: nothing but the marks changes on the way up, and on the way down every answer has its
// own id again.
func TestEveryChunking(t *testing.T) {
	requests, responses := capturedStreams(t)
	rules := map[string]*Rule{
		"passing": nil,
		"marking": {ID: "rule", Op: Hold, On: OnRequest, APIs: []string{"EndTxn", "Produce", "Fetch"}, Millis: 1},
		"looking": {ID: "rule", Op: Delay, On: OnResponse, APIs: []string{"EndTxn", "Produce", "TxnOffsetCommit"}, TransactionalIDs: []string{"txn"}, Millis: 1},
	}
	sizes := []int{1, 2, 3, 4, 5, 7, 8, 9, 13, 14, 15, 22, 23, 64, 1000, 100_000}
	for name, rule := range rules {
		for n, size := range sizes {
			t.Run(fmt.Sprintf("%s in chunks of %d", name, size), func(t *testing.T) {
				t.Parallel()
				up := armedToxic(t, rule)
				check(t, streams{requests, responses}, up, func(int) int { return size }, n%3*100)
				assert.Zero(t, up.unparsable.Load())
				if rule == nil {
					return
				}
				counts := up.all[0].report()
				assert.GreaterOrEqual(t, counts.Matched, int64(5))
				assert.Equal(t, counts.Matched, counts.Answered)
				assert.Zero(t, counts.Waiting)
				assert.Zero(t, counts.Unanswered)
			})
		}
	}
}

// armedToxic is a request toxic with at most one rule.
func armedToxic(t *testing.T, rule *Rule) *RequestToxic {
	t.Helper()
	up := &RequestToxic{board: board{sharing: sharing{with: newExchange()}}}
	if rule != nil {
		m, err := newMatcher(*rule)
		require.NoError(t, err)
		up.all = []*armed{arm(m, &up.exchange().budgets)}
		up.publish()
	}
	return up
}

type streams struct{ requests, responses []byte }

// check puts the streams through the toxics: up, marks copied into the answers as a broker does, down.
func check(t *testing.T, s streams, up *RequestToxic, sizes func(int) int, interrupts int) {
	t.Helper()
	// The request side ends before the answers come, which takes its tickets in: they are put back.
	keep := &keeping{RequestToxic: up, tickets: map[int32]ticket{}}
	sent := through(t, keep, s.requests, sizes, interrupts)
	require.Len(t, sent, len(s.requests))
	var ids []int32
	restored := correlations(sent, 8, func(_ int, id int32) int32 {
		ids = append(ids, id)
		if k, ok := keep.tickets[id]; ok {
			return k.correlation
		}
		return id
	})
	require.Equal(t, s.requests, restored, "nothing but marks changes")
	keep.putBack()
	answers := correlations(s.responses, 4, func(n int, _ int32) int32 { return ids[n] })
	require.Equal(t, s.responses, through(t, &ResponseToxic{sharing: sharing{with: up.exchange()}}, answers, sizes, interrupts), "every answer has its own id again")
}

// keeping is a request toxic whose tickets outlive its connection.
type keeping struct {
	*RequestToxic
	tickets map[int32]ticket
}

func (k *keeping) NewState() any {
	r := k.RequestToxic.NewState().(*requests)
	r.judge = keepingJudge{r, k}
	return r
}

type keepingJudge struct {
	*requests
	k *keeping
}

func (j keepingJudge) gone() {
	issued := &j.k.exchange().tickets
	issued.mu.Lock()
	maps.Copy(j.k.tickets, issued.open)
	issued.mu.Unlock()
	j.requests.gone()
}

func (k *keeping) putBack() {
	issued := &k.exchange().tickets
	for id, t := range k.tickets {
		issued.mu.Lock()
		issued.open[id] = t
		issued.mu.Unlock()
		t.rule.count(func(c *Counters) { c.Unanswered++ })
	}
}

// FuzzPassing feeds both toxics streams that need not be Kafka's, with a rule that matches everything it can: what comes
// out is what went in, but for marks.
func FuzzPassing(f *testing.F) {
	f.Add(request(endTxn("txn"), 5, "client"), uint8(3))
	f.Add(append(request(heartbeat(), 5, "client"), request(produce(1, "a"), 6, "")...), uint8(17))
	f.Add([]byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		up := armedToxic(t, &Rule{ID: "rule", Op: Delay, On: OnResponse, APIs: []string{"EndTxn", "Heartbeat", "Produce"}, Millis: 1})
		sizes := func(int) int { return int(size) }
		sent := through(t, up, data, sizes, 0)
		require.Len(t, sent, len(data))
		differ := 0
		for n := range data {
			if data[n] != sent[n] {
				differ++
			}
		}
		require.LessOrEqual(t, differ, 4*int(up.all[0].report().Matched), "only correlation ids may differ")
		require.Equal(t, string(data), string(through(t, &ResponseToxic{sharing: sharing{with: up.exchange()}}, data, sizes, 0)))
	})
}

var _ cutter = (*frames.Requests)(nil)
