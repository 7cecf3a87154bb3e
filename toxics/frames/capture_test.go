package frames

import (
	"context"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

var update = flag.Bool("update", false, "capture the streams in testdata again")

// The captured streams: one connection of a transactional consumer and producer, requests and responses.
var (
	requestsFile  = filepath.Join("testdata", "requests.bin")
	responsesFile = filepath.Join("testdata", "responses.bin")
)

// TestCapture writes what a client and a fake broker say to each other into testdata, when it is asked to.
func TestCapture(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "in", "out"))
	require.NoError(t, err)
	defer kafka.Close()
	taps := &taps{broker: kafka.ListenAddrs()[0]}
	session, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(kafka.ListenAddrs()...), kgo.Dialer(taps.dial), kgo.ClientID("captured"), kgo.TransactionalID("txn"),
		kgo.ConsumerGroup("group"), kgo.ConsumeTopics("in"), kgo.HeartbeatInterval(50*time.Millisecond),
		kgo.FetchMaxWait(50*time.Millisecond), kgo.DefaultProduceTopic("out"),
	)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, value := range []string{"first", "second", "third"} {
		require.NoError(t, session.Begin())
		require.NoError(t, session.Client().ProduceSync(ctx, &kgo.Record{Topic: "in", Value: []byte(value)}).FirstErr())
		_, err = session.End(ctx, kgo.TryCommit)
		require.NoError(t, err)
	}
	for read := 0; read < 3; {
		fetches := session.PollFetches(ctx)
		read += fetches.NumRecords()
		require.NoError(t, session.Begin())
		fetches.EachRecord(func(r *kgo.Record) { session.Produce(ctx, &kgo.Record{Value: r.Value}, nil) })
		_, err = session.End(ctx, kgo.TryCommit)
		require.NoError(t, err)
	}
	session.Close()
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	requests, responses := taps.all()
	require.NoError(t, os.WriteFile(requestsFile, requests, 0o644))
	require.NoError(t, os.WriteFile(responsesFile, responses, 0o644))
}

// taps are connections that are listened to. A client uses several to one broker; their streams are put one after the
// other, which is a stream as good as any: it begins and ends with a whole frame.
type taps struct {
	broker string
	mu     sync.Mutex
	conns  []*tap
}

type tap struct {
	net.Conn
	up, down lockedBuffer
}

type lockedBuffer struct {
	mu    sync.Mutex
	bytes []byte
}

func (b *lockedBuffer) add(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes = append(b.bytes, p...)
}

func (t *taps) dial(_ context.Context, network, addr string) (net.Conn, error) {
	conn, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	c := &tap{Conn: conn}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns = append(t.conns, c)
	return c, nil
}

func (c *tap) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.down.add(p[:n])
	return n, err
}

func (c *tap) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.up.add(p[:n])
	return n, err
}

// all puts the connections one after the other, without requests whose answers never came.
func (t *taps) all() (requests, responses []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.conns {
		up, down := cutRequests(c.up.bytes, whole), cutResponses(c.down.bytes, whole)
		for n := range min(len(up), len(down)) {
			requests, responses = append(requests, up[n].bytes...), append(responses, down[n].bytes...)
		}
	}
	return requests, responses
}

var _ io.ReadWriteCloser = (*tap)(nil)
