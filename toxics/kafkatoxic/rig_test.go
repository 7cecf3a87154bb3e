package kafkatoxic

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/wait"
)

// patience bounds what must happen; a moment is how long is waited for what must not.
const (
	patience = time.Minute
	moment   = 100 * time.Millisecond
)

// rig is a Toxiproxy server in this process with prepared proxies in front of a scripted broker.
type rig struct {
	t      *testing.T
	client *toxiclient.Client
	broker *broker
	proxy  *toxiclient.Proxy
	Remote
}

func newRig(t *testing.T) *rig {
	t.Helper()
	Register()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	api := httptest.NewServer(server.Routes())
	t.Cleanup(api.Close)
	r := &rig{t: t, client: toxiclient.NewClient(strings.TrimPrefix(api.URL, "http://")), broker: newBroker(t)}
	r.proxy, r.Remote = r.addProxy("link")
	return r
}

func (r *rig) addProxy(name string) (*toxiclient.Proxy, Remote) {
	r.t.Helper()
	proxy, err := r.client.CreateProxy(name, "127.0.0.1:0", r.broker.listener.Addr().String())
	require.NoError(r.t, err)
	require.NoError(r.t, Prepare(proxy))
	r.t.Cleanup(func() { _ = proxy.Delete() })
	return proxy, NewRemote(r.client, name)
}

func (r *rig) arm(rule Rule) {
	r.t.Helper()
	require.NoError(r.t, r.Arm(rule))
}

// status is a rule's status when it is as wanted.
func (r *rig) status(id string, wanted func(RuleStatus) bool) RuleStatus {
	r.t.Helper()
	var last RuleStatus
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	err := wait.Poll(ctx, 2*time.Millisecond, func() (bool, error) {
		s, err := r.Status()
		if err != nil {
			return false, err
		}
		last, _ = s.Rule(id)
		return wanted(last), nil
	})
	require.NoError(r.t, err, "%+v", last)
	return last
}

// peer is one end of a connection that speaks frames.
type peer struct {
	t *testing.T
	net.Conn
}

func (r *rig) dial() *peer {
	r.t.Helper()
	return dial(r.t, r.proxy.Listen)
}

func dial(t *testing.T, addr string) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &peer{t, conn}
}

// request makes the bytes of a request.
func request(req kmsg.Request, correlation int32, client string) []byte {
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID(client)).AppendRequest(nil, req, correlation)
}

func endTxn(id string) kmsg.Request {
	r := kmsg.NewPtrEndTxnRequest()
	r.Version, r.TransactionalID, r.Commit = 5, id, true
	return r
}

func produce(acks int16, topics ...string) kmsg.Request {
	r := kmsg.NewPtrProduceRequest()
	r.Version, r.Acks = 12, acks
	for _, name := range topics {
		topic := kmsg.NewProduceRequestTopic()
		topic.Topic = name
		p := kmsg.NewProduceRequestTopicPartition()
		p.Records = []byte(strings.Repeat("records ", 100))
		topic.Partitions = append(topic.Partitions, p)
		r.Topics = append(r.Topics, topic)
	}
	return r
}

func produceByID(id [16]byte) kmsg.Request {
	r := produce(1, "").(*kmsg.ProduceRequest)
	r.Version, r.Topics[0].TopicID = 13, id
	return r
}

func syncGroup() kmsg.Request {
	r := kmsg.NewPtrSyncGroupRequest()
	r.Version, r.Group = 5, "group"
	return r
}

func heartbeat() kmsg.Request {
	r := kmsg.NewPtrHeartbeatRequest()
	r.Version, r.Group = 4, "group"
	return r
}

func (p *peer) send(b []byte) {
	p.t.Helper()
	_, err := p.Write(b)
	require.NoError(p.t, err)
}

// ask sends a request and returns the answer's correlation id.
func (p *peer) ask(req kmsg.Request, correlation int32) int32 {
	p.t.Helper()
	p.send(request(req, correlation, "client"))
	return p.answer()
}

// answer reads one response.
func (p *peer) answer() int32 {
	p.t.Helper()
	require.NoError(p.t, p.SetReadDeadline(time.Now().Add(patience)))
	frame, err := readFrame(p)
	require.NoError(p.t, err)
	return int32(binary.BigEndian.Uint32(frame))
}

// silent reports whether nothing comes for a moment.
func (p *peer) silent() bool {
	_ = p.SetReadDeadline(time.Now().Add(moment))
	n, err := p.Read(make([]byte, 1))
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

// closed reports whether the other side closes without another byte.
func (p *peer) closed() bool {
	_ = p.SetReadDeadline(time.Now().Add(patience))
	n, err := p.Read(make([]byte, 1))
	return n == 0 && err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

func readFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(r, frame)
	return frame, err
}

// got is a request as the broker got it.
type got struct {
	key, version int16
	correlation  int32
}

// broker answers every request with the code that is set, and notes what it got.
type broker struct {
	listener net.Listener
	mu       sync.Mutex
	requests []got
	code     int16
	echo     bool
	conns    []net.Conn
}

func newBroker(t *testing.T) *broker {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &broker{listener: l}
	var serving sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { conn.Close() })
			serving.Go(func() { b.serve(conn) })
		}
	})
	t.Cleanup(func() { cancel(); l.Close(); serving.Wait() })
	return b
}

func (b *broker) serve(conn net.Conn) {
	defer conn.Close()
	b.mu.Lock()
	b.conns = append(b.conns, conn)
	echo := b.echo
	b.mu.Unlock()
	if echo {
		_, _ = io.Copy(conn, conn)
		return
	}
	for {
		frame, err := readFrame(conn)
		if err != nil {
			return
		}
		g := got{
			int16(binary.BigEndian.Uint16(frame)), int16(binary.BigEndian.Uint16(frame[2:])), int32(binary.BigEndian.Uint32(frame[4:])),
		}
		b.mu.Lock()
		b.requests = append(b.requests, g)
		answer := response(g, b.code)
		b.mu.Unlock()
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// response makes the bytes of an answer with an error code.
func response(g got, code int16) []byte {
	resp := kmsg.ResponseForKey(g.key)
	resp.SetVersion(g.version)
	switch r := resp.(type) {
	case *kmsg.EndTxnResponse:
		r.ErrorCode = code
	case *kmsg.HeartbeatResponse:
		r.ErrorCode = code
	case *kmsg.ProduceResponse:
		topic, partition := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
		partition.ErrorCode = code
		topic.Topic, topic.Partitions = "topic", append(topic.Partitions, partition)
		r.Topics = append(r.Topics, topic)
	}
	body := binary.BigEndian.AppendUint32(nil, uint32(g.correlation))
	if resp.IsFlexible() {
		body = append(body, 0)
	}
	body = resp.AppendTo(body)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// answersWith sets the error code of answers from now on.
func (b *broker) answersWith(code int16) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.code = code
}

// echoes makes the broker say what was said, whatever it is.
func (b *broker) echoes() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.echo = true
}

// drop closes every connection.
func (b *broker) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		c.Close()
	}
}

// has returns the requests that the broker got so far.
func (b *broker) has() []got {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]got(nil), b.requests...)
}

// awaits waits until the broker has n requests, and returns them.
func (b *broker) awaits(t *testing.T, n int) []got {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, time.Millisecond, func() (bool, error) { return len(b.has()) >= n, nil }))
	require.Len(t, b.has(), n)
	return b.has()
}

// newDeafBroker accepts connections and never reads from them.
func newDeafBroker(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var conns []net.Conn
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			c.Close()
		}
	})
	return l.Addr().String()
}
