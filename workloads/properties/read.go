package properties

import (
	"context"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Client is a client that is not made yet.
type Client struct {
	Kind    Kind
	Options []kgo.Opt
}

// Setting is one line of a pipeline's configuration.
type Setting struct {
	// Client is the client's role, where a pipeline has several.
	Client, Name, Value string
	// Default is the client library's own value, "" if that is the same.
	Default string
}

// String is the client's role in a pipeline of two clients.
func (k Kind) String() string {
	if k&(Consuming|Sharing) != 0 {
		return "consumer"
	}
	return "producer"
}

// Read makes the client without dialling, and reads its settings. It also reports whether the client holds rebalances
// back from a poll to the end of its work.
func (c Client) Read() (settings []Setting, holdsRebalances bool, err error) {
	client, err := unconnected(c.Options...)
	if err != nil {
		return nil, false, err
	}
	defer client.CloseAllowingRebalance()
	plain, err := unconnected(c.Kind.basis()...)
	if err != nil {
		return nil, false, err
	}
	defer plain.CloseAllowingRebalance()
	for _, p := range properties {
		if p.of&c.Kind == 0 {
			continue
		}
		s := Setting{Name: p.name, Value: p.read(client)}
		if usual := p.read(plain); usual != s.Value {
			s.Default = usual
		}
		settings = append(settings, s)
	}
	return settings, is(client, kgo.BlockRebalanceOnPoll), nil
}

// basis are the least options of a client of this kind; what they leave open has the library's default.
func (k Kind) basis() []kgo.Opt {
	options := []kgo.Opt{kgo.ConsumerGroup("g")}
	if k&Sharing != 0 {
		options = []kgo.Opt{kgo.ShareGroup("g")}
	}
	if k&Transacting != 0 {
		options = append(options, kgo.TransactionalID("none"))
	}
	return options
}

// unconnected makes a client that reaches no broker.
func unconnected(options ...kgo.Opt) (*kgo.Client, error) {
	refuse := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := kgo.NewClient(append(options, kgo.SeedBrokers("127.0.0.1:1"), kgo.Dialer(refuse), kgo.WithContext(ctx), kgo.WithLogger(nil))...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	return c, nil
}
