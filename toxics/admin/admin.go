package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

const (
	// HealWithin bounds the heal of one administrative fault.
	HealWithin = 30 * time.Second
	// RequestTimeout is what a broker may take for a request, as it is told: less than one question may take.
	RequestTimeout = 1500 * time.Millisecond
	PollEvery      = 100 * time.Millisecond
)

// Ask sends an administrative request to whatever broker answers: each forwards it to the active controller. The
// client's own notion of the controller may name a broker that is down.
func Ask[R kmsg.Response](ctx context.Context, f *harness.Field, req kmsg.Request) (R, error) {
	return AskNodes[R](ctx, f.Admin, f.Cluster.Info().Nodes, req)
}

// AskNodes sends a request to the nodes in turn until one answers.
func AskNodes[R kmsg.Response](ctx context.Context, client *kgo.Client, nodes []int, req kmsg.Request) (R, error) {
	var none R
	kresp, err := harness.AskBrokers(ctx, client, nodes, req)
	if err != nil {
		return none, err
	}
	resp, ok := kresp.(R)
	if !ok {
		return none, fmt.Errorf("%T was answered by %T", req, kresp)
	}
	return resp, nil
}

// CodeError is the error of a code with the broker's own words.
func CodeError(code int16, message *string) error {
	err := kerr.ErrorForCode(code)
	if err != nil && message != nil && *message != "" {
		return fmt.Errorf("%w (%s)", err, *message)
	}
	return err
}

// Until repeats what fails, until it doesn't or ctx ends.
func Until(ctx context.Context, do func() error) error {
	var last error
	err := wait.Poll(ctx, PollEvery, func() (bool, error) {
		last = do()
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

// ShownWithin bounds one round.
const ShownWithin = 5 * time.Second

// AskLeader sends a request to a partition's leader, as it is known: a negative one is none.
func AskLeader[R kmsg.Response](ctx context.Context, f *harness.Field, leader int, req kmsg.Request) (R, error) {
	if leader < 0 {
		var none R
		return none, errors.New("it has no leader now")
	}
	return AskNodes[R](ctx, f.Admin, []int{leader}, req)
}
