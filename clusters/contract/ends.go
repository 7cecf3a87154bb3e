package contract

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// ends shows that a link counts the connections that either side ends: they prove faults that end connections.
func (s *suite) ends(t *testing.T) {
	c := s.cluster
	dials, err := c.ClientLinks(t.Context(), "ending")
	require.NoError(t, err)
	name := harness.NewLink(harness.ClientLink, "ending", 1).Proxy
	open := func(sent ...byte) net.Conn {
		before := bytes(t, c)[name]
		conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(t.Context(), "tcp", dials[c.Info().Bootstrap[0]])
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() }) // it may be closed already
		_, err = conn.Write(sent)
		require.NoError(t, err)
		bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool {
			return b[name].UpstreamIn == before.UpstreamIn+int64(len(sent))
		})
		return conn
	}
	begun := open(0, 0) // half of a frame's length
	require.Zero(t, bytes(t, c)[name].UpstreamEnded)
	require.NoError(t, begun.Close())
	bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].UpstreamEnded == 1 })

	before := bytes(t, c)[name].DownstreamEnded
	_, err = open(0x7f, 0xff).Write([]byte{0xff, 0xff}) // the length of a frame that no broker takes
	require.NoError(t, err)
	bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].DownstreamEnded > before })
}
