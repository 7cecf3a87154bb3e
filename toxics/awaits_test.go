package toxics

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// patience bounds what must happen, however busy the machine is.
const patience = time.Minute

// await waits until something is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, time.Millisecond, func() (bool, error) { return so(), nil }), "never so: %s", what)
}

// awaitBytes waits until a link's counters are as wanted.
func (s *stage) awaitBytes(t *testing.T, proxy string, wanted func(harness.LinkBytes) bool) {
	t.Helper()
	await(t, proxy+" has the bytes", func() bool { return wanted(s.bytes(t)[proxy]) })
}

func (s *stage) bytes(t *testing.T) map[string]harness.LinkBytes {
	t.Helper()
	all, err := s.cluster.Bytes(t.Context())
	require.NoError(t, err)
	return all
}

// rounds is how many times bytes must come back over a link to show that it passes them.
const rounds = 5

// awaitPassing waits until bytes have gone up and come back over each of the links, several times from now on.
func (s *stage) awaitPassing(t *testing.T, proxies ...string) {
	t.Helper()
	for _, proxy := range proxies {
		before := s.bytes(t)[proxy]
		s.awaitBytes(t, proxy, func(now harness.LinkBytes) bool {
			return now.UpstreamOut >= before.UpstreamOut+rounds*chunk && now.DownstreamOut >= before.DownstreamOut+rounds*chunk
		})
	}
}

// assertCut asserts that nothing passes any more in some streams while other links pass all the time: what was on its way
// when the fault was injected has arrived by the time that others have gone round.
func (s *stage) assertCut(t *testing.T, cut map[string]func(harness.LinkBytes) int64, others ...string) {
	t.Helper()
	s.awaitPassing(t, others...)
	before := s.bytes(t)
	s.awaitPassing(t, others...)
	after := s.bytes(t)
	for proxy, passed := range cut {
		assert.Equal(t, passed(before[proxy]), passed(after[proxy]), proxy)
	}
}

func up(b harness.LinkBytes) int64   { return b.UpstreamOut }
func down(b harness.LinkBytes) int64 { return b.DownstreamOut }
