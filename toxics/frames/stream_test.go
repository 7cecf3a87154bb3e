package frames

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// frame is one frame as it was cut out of a stream.
type frame struct {
	bytes   []byte
	head    int // length of the head
	request Request
	id      int32
}

// chunking says how many of the bytes that are left come next.
type chunking func(left int) int

func whole(left int) int { return left }

func every(n int) chunking { return func(left int) int { return min(n, left) } }

// splitAt makes two chunks.
func splitAt(n int) chunking {
	first := true
	return func(left int) int {
		if first {
			first = false
			return min(n, left)
		}
		return left
	}
}

type stepper interface {
	Step([]byte) (int, Part)
	Head() []byte
	Kept() int
	Left() int
}

// cut puts a stream through a cutter, chunk by chunk. It returns the whole frames and what is left behind them.
func cut(stream []byte, chunks chunking, s stepper, read func(*frame)) (frames []frame, rest []byte, raw bool) {
	current := frame{}
	for len(stream) > 0 {
		chunk := stream[:max(1, chunks(len(stream)))]
		stream = stream[len(chunk):]
		for len(chunk) > 0 {
			n, part := s.Step(chunk)
			switch part {
			case Begin:
				current = frame{bytes: append([]byte(nil), s.Head()...), head: len(s.Head())}
				read(&current)
			case Body:
				current.bytes = append(current.bytes, chunk[:n]...)
			case Raw:
				if !raw {
					rest = append(rest, s.Head()...)
				} else {
					rest = append(rest, chunk[:n]...)
				}
				raw = true
			}
			if chunk = chunk[n:]; current.bytes != nil && s.Left() == 0 && (part == Begin || part == Body) {
				frames, current = append(frames, current), frame{}
			}
		}
	}
	if !raw {
		rest = append(rest, current.bytes...)
		if s.Kept() > 0 {
			rest = append(rest, s.Head()...)
		}
	}
	return frames, rest, raw
}

func cutRequests(stream []byte, chunks chunking) []frame {
	var r Requests
	frames, _, _ := cut(stream, chunks, &r, func(f *frame) { f.request = r.Request(); f.id = f.request.Correlation })
	return frames
}

func cutResponses(stream []byte, chunks chunking) []frame {
	var r Responses
	frames, _, _ := cut(stream, chunks, &r, func(f *frame) { f.id = r.Correlation() })
	return frames
}

func captured(t testing.TB) (requests, responses []byte) {
	t.Helper()
	requests, err := os.ReadFile(requestsFile)
	require.NoError(t, err)
	responses, err = os.ReadFile(responsesFile)
	require.NoError(t, err)
	return requests, responses
}

// byHand cuts a stream by its size fields only.
func byHand(stream []byte) [][]byte {
	var frames [][]byte
	for len(stream) > 0 {
		n := 4 + int(binary.BigEndian.Uint32(stream))
		frames, stream = append(frames, stream[:n]), stream[n:]
	}
	return frames
}

// TestCapturedStreamsInEveryChunking finds the same frames however a stream is cut into chunks: in equal ones of every
// size, and in two at every position.
func TestCapturedStreamsInEveryChunking(t *testing.T) {
	requests, responses := captured(t)
	for _, c := range []struct {
		stream []byte
		cut    func([]byte, chunking) []frame
	}{{requests, cutRequests}, {responses, cutResponses}} {
		want := c.cut(c.stream, whole)
		hand := byHand(c.stream)
		require.Len(t, want, len(hand))
		require.Greater(t, len(want), 30)
		for n := range hand {
			require.Equal(t, hand[n], want[n].bytes)
		}
		for size := 1; size <= 200; size++ {
			require.Equal(t, want, c.cut(c.stream, every(size)), "chunks of %d", size)
		}
		few := c.stream[:positionOf(hand, 12)]
		want = want[:12]
		for at := range few {
			require.Equal(t, want, c.cut(few, splitAt(at)), "split at %d", at)
		}
	}
}

// positionOf is where the nth frame begins.
func positionOf(frames [][]byte, n int) int {
	at := 0
	for _, f := range frames[:n] {
		at += len(f)
	}
	return at
}

func TestCapturedFacts(t *testing.T) {
	requests, responses := captured(t)
	answers := cutResponses(responses, whole)
	seen := map[string]Facts{}
	for n, f := range cutRequests(requests, whole) {
		assert.Equal(t, "captured", f.request.ClientID)
		assert.Equal(t, len(f.bytes)-4, f.request.Size)
		facts, err := ReadFacts(f.request, f.bytes[f.head:])
		name := kmsg.NameForKey(f.request.Key)
		require.NoError(t, err, name)
		seen[name] = facts
		require.Equal(t, f.id, answers[n].id)
		codes, err := Codes(f.request.Key, f.request.Version, answers[n].bytes[responseHeadLength:])
		require.NoError(t, err, name)
		require.NotEmpty(t, codes, name)
	}
	for _, name := range []string{"EndTxn", "InitProducerID", "Produce", "TxnOffsetCommit"} {
		assert.Equal(t, []string{"txn"}, seen[name].TransactionalIDs, name)
	}
	assert.NotEmpty(t, seen["Produce"].TopicIDs, "by id since version 13")
	assert.NotEmpty(t, seen["TxnOffsetCommit"].TopicIDs, "and since version 6")
	assert.False(t, seen["Produce"].Unanswered)
	for _, name := range []string{"JoinGroup", "SyncGroup", "Heartbeat", "Fetch"} {
		assert.Contains(t, seen, name)
	}
}

func TestWhatIsNotKafkaIsRaw(t *testing.T) {
	for name, stream := range map[string]string{
		"TLS":          "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a client hello",
		"TLS, answer":  "\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03 a server hello",
		"HTTP":         "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"no such size": "\x00\x00\x00\x01 too small for a head",
	} {
		for size := 1; size <= len(stream); size++ {
			var q Requests
			frames, rest, raw := cut([]byte(stream), every(size), &q, func(*frame) {})
			assert.True(t, raw, "%s in chunks of %d", name, size)
			assert.Empty(t, frames)
			assert.Equal(t, stream, string(rest), "%s in chunks of %d", name, size)
			var p Responses
			_, rest, raw = cut([]byte(stream), every(size), &p, func(*frame) {})
			assert.True(t, raw, "%s in chunks of %d", name, size)
			assert.Equal(t, stream, string(rest), "%s in chunks of %d", name, size)
		}
	}
	for name, head := range map[string]string{
		"key":       "\x00\x00\x00\x20\x01\x00\x00\x00\x00\x00\x00\x01\xff\xff",
		"version":   "\x00\x00\x00\x20\x00\x00\x00\x40\x00\x00\x00\x01\xff\xff",
		"client id": "\x00\x00\x00\x20\x00\x00\x00\x04\x00\x00\x00\x01\xff\xfe",
		"length":    "\x00\x00\x00\x0a\x00\x00\x00\x04\x00\x00\x00\x01\x00\x01",
	} {
		var q Requests
		_, rest, raw := cut([]byte(head), whole, &q, func(*frame) {})
		assert.True(t, raw, name)
		assert.Equal(t, head, string(rest), name)
	}
}

func FuzzStreams(f *testing.F) {
	requests, responses := captured(f)
	f.Add(requests[:400], uint16(7))
	f.Add(responses[:400], uint16(100))
	f.Add([]byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), uint16(1))
	f.Fuzz(func(t *testing.T, stream []byte, size uint16) {
		for _, fresh := range []func() stepper{func() stepper { return &Requests{} }, func() stepper { return &Responses{} }} {
			inOne, rest, raw := cut(stream, whole, fresh(), func(*frame) {})
			inMany, rest2, raw2 := cut(stream, every(int(size)), fresh(), func(*frame) {})
			require.Equal(t, inOne, inMany)
			require.Equal(t, rest, rest2)
			require.Equal(t, raw, raw2)
			var all []byte
			for _, f := range inOne {
				all = append(all, f.bytes...)
			}
			require.Equal(t, string(stream), string(append(all, rest...)), "nothing is lost")
		}
	})
}

func FuzzBodies(f *testing.F) {
	requests, responses := captured(f)
	answers := cutResponses(responses, whole)
	for n, q := range cutRequests(requests, whole) {
		f.Add(q.request.Key, q.request.Version, q.bytes[q.head:])
		f.Add(q.request.Key, q.request.Version, answers[n].bytes[responseHeadLength:])
	}
	f.Fuzz(func(t *testing.T, key, version int16, body []byte) {
		if key < 0 || key > maxKey || version < 0 || version > maxVersion {
			return // heads like that are not plausible
		}
		_, _ = ReadFacts(Request{Key: key, Version: version}, body)
		_, _ = Codes(key, version, body)
		_, _ = Carries(key)
	})
}

func TestCarries(t *testing.T) {
	for name, want := range map[string][2]bool{
		"Produce": {true, true}, "AddPartitionsToTxn": {true, true}, "TxnOffsetCommit": {true, true},
		"EndTxn": {true, false}, "InitProducerID": {true, false}, "Fetch": {false, true}, "OffsetCommit": {false, true},
		"WriteTxnMarkers": {false, true}, "ConsumerGroupHeartbeat": {false, true},
		"JoinGroup": {}, "SyncGroup": {}, "Heartbeat": {}, "BrokerHeartbeat": {},
	} {
		for key := range int16(kmsg.MaxKey) {
			if kmsg.NameForKey(key) == name {
				transaction, topic := Carries(key)
				assert.Equal(t, want, [2]bool{transaction, topic}, name)
			}
		}
	}
}
