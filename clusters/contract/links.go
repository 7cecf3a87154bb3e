package contract

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
)

func (s *suite) clientLinks(t *testing.T) {
	c := s.cluster
	workers := []int{0, 1, 0, 1, 0, 1}
	answers, errs := together.Ask(workers, func(n int) (harness.Dials, error) {
		return c.ClientLinks(t.Context(), fmt.Sprintf("transactional-%d", n))
	})
	require.NoError(t, errors.Join(errs...))
	dials, other := answers[0], answers[1]
	require.Equal(t, dials, answers[2], "a restarted worker finds its own links")
	for i := range 2 {
		for _, n := range c.Info().Nodes {
			link := harness.NewLink(harness.ClientLink, fmt.Sprintf("transactional-%d", i), n)
			require.True(t, slices.ContainsFunc(c.Links(), func(l harness.Link) bool { return l.Proxy == link.Proxy }), "%s is not listed", link.Proxy)
		}
	}
	for _, address := range c.Info().Bootstrap {
		require.NotEqual(t, dials[address], other[address])
	}
	createTopic(t, c, "named")
	before := bytes(t, c)
	producer := client(t, c, dials, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	incompressible := make([]byte, 10_000)
	_, _ = rand.Read(incompressible)
	for partition := range int32(3) {
		record := &kgo.Record{Topic: "named", Partition: partition, Value: incompressible}
		require.NoError(t, producer.ProduceSync(within(t, 30*time.Second), record).FirstErr())
	}
	after := bytes(t, c)
	for _, n := range c.Info().Nodes {
		require.Greater(t, after[harness.NewLink(harness.ClientLink, "transactional-0", n).Proxy].UpstreamOut, int64(10_000))
		require.Zero(t, after[harness.NewLink(harness.ClientLink, "transactional-1", n).Proxy])
		shared := harness.NewLink(harness.ClientLink, harness.SharedClient, n).Proxy
		require.Equal(t, before[shared], after[shared], "no client used the advertised address itself")
	}
}

func (s *suite) names(t *testing.T) {
	for _, name := range []string{"client", "2", "a b", "ü", ""} {
		_, err := s.cluster.ClientLinks(t.Context(), name)
		require.Error(t, err, name)
	}
}

// links cuts one link after the other: cutting i→j leaves j→i and i→k alone, and the other kinds between i and j.
func (s *suite) links(t *testing.T) {
	c := s.cluster
	for _, link := range c.Info().Topology.NodeLinks() {
		require.True(t, slices.ContainsFunc(c.Links(), func(l harness.Link) bool { return l.Proxy == link.Proxy }), "there is no link %s", link.Proxy)
	}
	createTopic(t, c, "links") // makes every broker follow both others
	name := func(kind harness.LinkKind, from, to int) string {
		return harness.NewLink(kind, fmt.Sprint(from), to).Proxy
	}
	t.Run("replication", func(t *testing.T) {
		cutAndHeal(t, c, name(harness.ReplicationLink, 1, 2), name(harness.ReplicationLink, 2, 1), name(harness.ReplicationLink, 1, 3),
			name(harness.ReplicationLink, 3, 2))
	})
	t.Run("quorum", func(t *testing.T) {
		// Only the links towards the active controller carry anything.
		leader, err := ask.Seeds(client(t, c, c.Direct())).Controller(within(t, 10*time.Second))
		require.NoError(t, err)
		a, b := leader%3+1, (leader+1)%3+1
		cutAndHeal(t, c, name(harness.QuorumLink, a, leader), name(harness.QuorumLink, b, leader), name(harness.ReplicationLink, a, leader),
			name(harness.ReplicationLink, leader, a))
	})
}

// cutAndHeal shows that a cut stops its own link, both ways, and no other.
func cutAndHeal(t *testing.T, c harness.Cluster, name string, others ...string) {
	t.Helper()
	flowing := bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].UpstreamOut > 0 })
	heal := cutLink(t, c, name)
	before := bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].Cut() > flowing[name].Cut() })
	after := bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool {
		return !slices.ContainsFunc(others, func(other string) bool {
			return b[other].DownstreamOut < before[other].DownstreamOut+100
		})
	})
	require.Equal(t, before[name].UpstreamOut, after[name].UpstreamOut, "nothing passes the cut")
	require.Equal(t, before[name].DownstreamOut, after[name].DownstreamOut, "nothing passes the cut")
	for _, other := range others {
		require.Less(t, after[other].Cut(), after[other].DownstreamOut/2, "%s is not cut", other)
	}
	heal()
	bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].UpstreamOut > after[name].UpstreamOut })
}

// cutLink drops everything on one link, both ways, until the returned function is called.
func cutLink(t *testing.T, c harness.Cluster, name string) (heal func()) {
	t.Helper()
	proxy, err := toxiclient.NewClient(c.Info().ToxiproxyAPI).Proxy(name)
	require.NoError(t, err)
	for _, stream := range []string{"upstream", "downstream"} {
		_, err := proxy.AddToxic("cut-"+stream, "timeout", stream, 1, toxiclient.Attributes{"timeout": 0})
		require.NoError(t, err)
	}
	return func() {
		for _, stream := range []string{"upstream", "downstream"} {
			require.NoError(t, proxy.RemoveToxic("cut-"+stream))
		}
	}
}

func bytes(t *testing.T, c harness.Cluster) map[string]harness.LinkBytes {
	t.Helper()
	counted, err := c.Bytes(within(t, 10*time.Second))
	require.NoError(t, err)
	return counted
}

func bytesWhen(t *testing.T, c harness.Cluster, met func(map[string]harness.LinkBytes) bool) map[string]harness.LinkBytes {
	t.Helper()
	var counted map[string]harness.LinkBytes
	require.NoError(t, wait.Poll(within(t, 20*time.Second), 20*time.Millisecond, func() (bool, error) {
		var err error
		counted, err = c.Bytes(t.Context())
		return err == nil && met(counted), err
	}))
	return counted
}
