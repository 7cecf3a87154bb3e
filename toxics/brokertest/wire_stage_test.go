package brokertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// member is the target of a client that was added to a stage.
const member = "worker 3"

// newWireStage is a stage with one more member: a client of the test's own.
func newWireStage(t *testing.T, opts ...kgo.Opt) (*stage, *kgo.Client) {
	t.Helper()
	s := newStage(t)
	f := s.Fleet.(fleet)
	name := fmt.Sprintf("wire-%d", stages.Load())
	f.names = append(f.names, name)
	s.Fleet, s.Observer = f, unseen{}
	return s, s.client(t, name, opts...)
}

// client makes a client with links of its own.
func (s *stage) client(t *testing.T, name string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	dials, err := s.cluster.ClientLinks(t.Context(), name)
	require.NoError(t, err)
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(s.cluster.Info().Bootstrap...), harness.Via(dials), kgo.AlwaysRetryEOF(), kgo.ClientID(name),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0), kgo.RequestTimeoutOverhead(1500 * time.Millisecond),
		kgo.MetadataMinAge(100 * time.Millisecond), kgo.MetadataMaxAge(time.Second),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// own makes a topic that only the test's client writes to.
func (s *stage) own(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("own-%d", stages.Add(1))
	createTopics(t, s.Admin, name)
	return name
}

// readBack reads a partition from its beginning up to its end, over links that no fault touches.
func (s *stage) readBack(t *testing.T, topic string, isolation kgo.IsolationLevel, n int) []string {
	t.Helper()
	reader, err := harness.DirectClient(s.cluster, "read-back", kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(isolation),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(200*time.Millisecond))
	require.NoError(t, err)
	defer reader.Close()
	var values []string
	idle := 0
	ctx := within(t, 20*time.Second)
	for len(values) < n || idle < 3 { // goes on for a moment: there may be more than expected
		polling, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		fetches := reader.PollFetches(polling)
		cancel()
		if fetches.NumRecords() == 0 {
			idle++
		}
		fetches.EachRecord(func(r *kgo.Record) { values = append(values, string(r.Value)) })
		if ctx.Err() != nil {
			break
		}
	}
	return values
}

// awaitWaiting waits until a frame waits on some link, and returns the link's proxy.
func (s *stage) awaitWaiting(t *testing.T) string {
	t.Helper()
	at := ""
	require.NoError(t, wait.Poll(within(t, 20*time.Second), 20*time.Millisecond, func() (bool, error) {
		for proxy, status := range s.statuses(t) {
			for _, r := range status.Rules {
				if r.Waiting > 0 {
					at = proxy
				}
			}
		}
		return at != "", nil
	}), "nothing is held")
	return at
}

// passes asserts that every link passes everything and remembers no rule.
func (s *stage) passes(t *testing.T) {
	t.Helper()
	for proxy, status := range s.statuses(t) {
		require.Equal(t, kafkatoxic.OpPass, status.Op, proxy)
		require.Empty(t, status.Rules, proxy)
		require.Zero(t, status.Unparsable, proxy)
	}
}

// statuses reads what every link's toxics say.
func (s *stage) statuses(t *testing.T) map[string]kafkatoxic.Status {
	t.Helper()
	links := s.cluster.Links() // first: clients that start in the meantime add links
	all, err := kafkatoxic.Statuses(toxiclient.NewClient(s.cluster.Info().ToxiproxyAPI))
	require.NoError(t, err)
	for _, l := range links {
		require.Contains(t, all, l.Proxy)
	}
	return all
}

// name is that of the added member, which is also its client id.
func (s *stage) name() string {
	names := s.Fleet.(fleet).names
	return names[len(names)-1]
}

// notMatched lists the APIs of the rules that have not matched on any link.
func notMatched(t *testing.T, s *stage) []string {
	t.Helper()
	matched := map[string]bool{}
	for _, status := range s.statuses(t) {
		for _, r := range status.Rules {
			matched[r.APIs[0]] = matched[r.APIs[0]] || r.Matched > 0
		}
	}
	var missing []string
	for name, seen := range matched {
		if !seen {
			missing = append(missing, name)
		}
	}
	return missing
}
