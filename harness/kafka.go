package harness

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// dialTimeout bounds one connection attempt: every address is on loopback or in a container on this machine.
const dialTimeout = 3 * time.Second

// Dial connects to the mapped address instead of the advertised one. An address that isn't in the map is refused: a client
// that slips past its proxies would make every figure of the run a lie.
func (d Dials) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	to, ok := d[address]
	if !ok {
		return nil, fmt.Errorf("no link to %s: the cluster advertises an address it did not announce", address)
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	return dialer.DialContext(ctx, network, to)
}

// Via makes a client dial these addresses.
func Via(dials Dials) kgo.Opt { return kgo.Dialer(dials.Dial) }

// DirectClient makes a client over links that no fault touches. Metadata is refreshed quickly, but its cache may be
// stale when leadership moves: send requests yourself if that matters.
func DirectClient(c Cluster, id string, opts ...kgo.Opt) (*kgo.Client, error) {
	base := []kgo.Opt{
		kgo.SeedBrokers(c.Info().Bootstrap...), Via(c.Direct()), kgo.ClientID(id), kgo.AlwaysRetryEOF(),
		kgo.MetadataMinAge(100 * time.Millisecond), kgo.MetadataMaxAge(time.Second),
		kgo.DisableClientMetrics(), // it would make one compressor of each kind, of which one alone takes 8 MiB
	}
	client, err := kgo.NewClient(append(base, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka client %s: %w", id, err)
	}
	return client, nil
}
