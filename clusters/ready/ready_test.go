package ready

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/fakequorum"
)

const nodes = 3

func start(t *testing.T) *kfake.Cluster {
	t.Helper()
	fake, err := kfake.NewCluster(kfake.NumBrokers(nodes))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	return fake
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// first is the fake's first broker, asked at its own address.
func first(t *testing.T, fake *kfake.Cluster) ask.Brokers {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(fake.ListenAddrs()[0]))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return ask.Seeds(client)
}

func TestEveryBrokerSeesAllAndAController(t *testing.T) {
	fake := start(t)
	require.NoError(t, fakequorum.Answer(t.Context(), fake, 1))
	require.NoError(t, Await(within(t), fake.ListenAddrs()))
	require.ErrorContains(t, notReady(within(t), first(t, fake), nodes+1), "metadata shows 3 of 4 brokers")
}

func TestABrokerThatIsDownIsNotReady(t *testing.T) {
	fake := start(t)
	broker := first(t, fake)
	fake.Close()
	require.ErrorContains(t, notReady(within(t), broker, nodes), "bootstrap broker 0, Metadata: ")
}

// TestWithoutAControllerNothingIsReady: the error says so, not only that time was up.
func TestWithoutAControllerNothingIsReady(t *testing.T) {
	fake := start(t)
	ctx, cancel := context.WithCancel(within(t))
	asked := 0
	fake.ControlKey(int16(kmsg.DescribeQuorum), func(req kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		if asked++; asked == 3 {
			cancel()
		}
		resp := req.ResponseKind().(*kmsg.DescribeQuorumResponse)
		resp.ErrorCode = kerr.NotController.Code
		return resp, nil, true
	})
	require.NoError(t, fakequorum.Answer(t.Context(), fake, 1))
	err := brokerReady(ctx, fake.ListenAddrs()[0], nodes)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "DescribeQuorum: NOT_CONTROLLER")
}
