// Package ready tells when a cluster is ready, by what its brokers answer. It is the same for every provider.
package ready

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

const (
	readyEvery = 50 * time.Millisecond
	// readyWithin bounds one look at one broker.
	readyWithin = 2 * time.Second
)

// Await returns when every broker, asked at its own listener, sees as many brokers as there are addresses and reaches a
// controller that answers. When ctx ends first, the error says what was still missing.
func Await(ctx context.Context, brokers []string) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, address := range brokers {
		group.Go(func() error { return brokerReady(ctx, address, len(brokers)) })
	}
	return group.Wait()
}

func brokerReady(ctx context.Context, address string, brokers int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	var missing error
	err = wait.Poll(ctx, readyEvery, func() (bool, error) {
		bounded, cancel := context.WithTimeout(ctx, readyWithin)
		defer cancel()
		found := notReady(bounded, ask.Seeds(client), brokers)
		if missing == nil || ctx.Err() == nil { // a look that was cut short finds nothing but that
			missing = found
		}
		return found == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w; the broker at %s: %w", err, address, missing)
	}
	return nil
}

// notReady returns what keeps a broker from being ready, or nil.
func notReady(ctx context.Context, broker ask.Brokers, brokers int) error {
	registered, err := broker.Registered(ctx)
	if err != nil {
		return err
	}
	if seen := len(registered); seen != brokers {
		return fmt.Errorf("metadata shows %d of %d brokers", seen, brokers)
	}
	_, err = broker.Controller(ctx)
	return err
}
