package toxics

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// A toxic on a link whose peer doesn't read (a stopped process) can't be removed until it reads again: the heal gives up
// at its deadline, says so, and succeeds later.
func TestHealOfALinkWhosePeerIsStoppedIsBounded(t *testing.T) {
	s := newStage(t)
	frozen, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = frozen.Close() })
	accepted := make(chan net.Conn, 1)
	go func() {
		if conn, err := frozen.Accept(); err == nil {
			accepted <- conn
		}
	}()
	proxy, err := toxiclient.NewClient(s.cluster.api).CreateProxy("frozen", "127.0.0.1:0", frozen.Addr().String())
	require.NoError(t, err)
	conn, err := net.Dial("tcp", proxy.Listen)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })

	var u inject.Undo
	link := harness.Link{Kind: harness.ReplicationLink, From: "1", To: 2, Proxy: "frozen"}
	latency := inject.Toxic{Name: "latency", Kind: "latency", Attributes: toxiclient.Attributes{"latency": 1}}
	require.NoError(t, latency.Put(t.Context(), s.Field, &u, []target.Stream{{Link: link, Up: true}}))
	fill(t, conn)

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, u.Run(ctx), "from frozen: no answer from Toxiproxy: context deadline exceeded")

	peer := <-accepted
	t.Cleanup(func() { _ = peer.Close() })
	go func() { // the process goes on
		buf := make([]byte, 1<<20)
		for {
			if _, err := peer.Read(buf); err != nil {
				return
			}
		}
	}()
	require.NoError(t, u.Run(t.Context()))
	assert.Empty(t, s.cluster.toxicsLeft(t))
}

// fill writes until every buffer on the way is full: nothing more was taken for many looks, during each of which the proxy
// had its turn.
func fill(t *testing.T, conn net.Conn) {
	t.Helper()
	var written atomic.Int64
	go func() {
		for {
			n, err := conn.Write(make([]byte, 4096))
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
	still, last := 0, int64(-1)
	await(t, "the buffers are full", func() bool {
		if now := written.Load(); now != last {
			still, last = 0, now
		}
		still++
		return still > 1000
	})
}
