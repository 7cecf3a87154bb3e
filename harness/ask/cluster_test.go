package ask_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

const (
	nodes      = 3 // kfake counts them from 0
	partitions = 2
)

// cluster is kfake with a client on it.
type cluster struct {
	*kfake.Cluster
	client *kgo.Client
}

func newCluster(t *testing.T, opts ...kgo.Opt) cluster {
	t.Helper()
	fake, err := kfake.NewCluster(kfake.NumBrokers(nodes), kfake.SeedTopics(partitions, "in", "out"))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	return cluster{fake, newClient(t, fake, opts...)}
}

func newClient(t *testing.T, fake *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(fake.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func (c cluster) brokers() ask.Brokers { return ask.Of(c.client, 0, 1, 2) }

// at is a broker's number and where it listens, as metadata has it.
func (c cluster) at(node int32) (int32, string, int32) {
	host, text, _ := net.SplitHostPort(c.ListenAddrs()[node])
	port, _ := strconv.ParseInt(text, 10, 32)
	return node, host, int32(port)
}

// answer makes brokers answer one kind of request as with fills it in; where that returns false, they answer as always.
func answer[Q kmsg.Request, R kmsg.Response](c cluster, with func(node int32, req Q, resp R) bool) {
	var kind Q
	c.ControlKey(kind.Key(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := kreq.ResponseKind()
		if !with(c.CurrentNode(), kreq.(Q), resp.(R)) {
			return nil, nil, false
		}
		return resp, nil, true
	})
}

// silence makes a broker accept one kind of request and never answer it, as a paused one does.
func (c cluster) silence(t *testing.T, node int32, key kmsg.Key) {
	c.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if c.CurrentNode() == node {
			c.SleepControl(func() { <-t.Context().Done() })
		}
		return nil, nil, false
	})
}

// refusing makes a client that can't connect to one of the brokers.
func refusing(t *testing.T, c cluster, node int) *kgo.Client {
	return newClient(t, c.Cluster, kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == c.ListenAddrs()[node] {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}))
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
