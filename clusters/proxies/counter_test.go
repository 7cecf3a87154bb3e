package proxies

import (
	"io"
	"net"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// proxied is a proxy on a server in this process, and what it dials.
type proxied struct {
	server   *Server
	proxy    *toxiclient.Proxy
	upstream net.Listener
}

func newProxied(t *testing.T) proxied {
	t.Helper()
	api, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = api.Close() })
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = upstream.Close() })
	server, err := Serve(api, io.Discard)
	require.NoError(t, err)
	proxy, err := toxiclient.NewClient(api.Addr().String()).CreateProxy("p", "127.0.0.1:0", upstream.Addr().String())
	require.NoError(t, err)
	return proxied{server, proxy, upstream}
}

// when waits until the proxy's counters meet a condition.
func (p proxied) when(t *testing.T, met func(harness.LinkBytes) bool) harness.LinkBytes {
	t.Helper()
	var now harness.LinkBytes
	require.Eventually(t, func() bool {
		all, err := p.server.Bytes()
		now = all["p"]
		return err == nil && met(now)
	}, 10*time.Second, time.Millisecond, "%+v", &now)
	return now
}

// TestTheEndOfAConnectionIsNoByte: nothing was cut of a connection that a peer closes. Its end is held back, so that the proxy's
// half-open sockets are looked at.
func TestTheEndOfAConnectionIsNoByte(t *testing.T) {
	for _, ends := range []string{"upstream", "downstream"} {
		t.Run(ends, func(t *testing.T) {
			p := newProxied(t)
			_, err := p.proxy.AddToxic("late", "slow_close", ends, 1, toxiclient.Attributes{"delay": 400})
			require.NoError(t, err)
			dialling, err := net.Dial("tcp", p.proxy.Listen)
			require.NoError(t, err)
			dialled, err := p.upstream.Accept()
			require.NoError(t, err)
			defer func() { _, _ = dialling.Close(), dialled.Close() }() // one of them is closed
			_, err = dialling.Write([]byte("12"))
			require.NoError(t, err)
			_, err = dialled.Write([]byte("345"))
			require.NoError(t, err)
			for conn, n := range map[net.Conn]int{dialled: 2, dialling: 3} { // one that leaves bytes unread would reset the connection
				_, err := io.ReadFull(conn, make([]byte, n))
				require.NoError(t, err)
			}
			sent := harness.LinkBytes{UpstreamIn: 2, UpstreamOut: 2, DownstreamIn: 3, DownstreamOut: 3}
			p.when(t, func(b harness.LinkBytes) bool { return b == sent })

			require.NoError(t, map[string]net.Conn{"upstream": dialling, "downstream": dialled}[ends].Close())
			half := p.when(t, func(b harness.LinkBytes) bool { return b.UpstreamEnded+b.DownstreamEnded == 1 })
			require.Zero(t, half.Cut(), "%+v", half)
			sent.UpstreamEnded, sent.DownstreamEnded = 1, 1
			p.when(t, func(b harness.LinkBytes) bool { return b == sent })
		})
	}
}
