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
	// ShownWithin bounds how long a change may take until the brokers show it: each hears of it through the metadata log.
	ShownWithin = 5 * time.Second
	// RequestTimeout is what requests allow a broker: less than the client waits for an answer.
	RequestTimeout = 1500 * time.Millisecond
	// PollEvery is the pause between two looks.
	PollEvery = 100 * time.Millisecond
)

// Ask sends an administrative request to the first broker that answers: each forwards it to the active controller.
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

// AskLeader sends a request to a partition's leader, which the caller knows; a negative number is no leader.
func AskLeader[R kmsg.Response](ctx context.Context, f *harness.Field, leader int, req kmsg.Request) (R, error) {
	if leader < 0 {
		var none R
		return none, errors.New("it has no leader now")
	}
	return AskNodes[R](ctx, f.Admin, []int{leader}, req)
}

// CodeError returns the error of a code, with the broker's own words if it sent any; nil for code 0.
func CodeError(code int16, message *string) error {
	err := kerr.ErrorForCode(code)
	if err != nil && message != nil && *message != "" {
		return fmt.Errorf("%w (%s)", err, *message)
	}
	return err
}

// Until repeats what fails until it succeeds or ctx ends. Its error then has the last thing that was wrong.
func Until(ctx context.Context, do func() error) error {
	var last error
	err := wait.Poll(ctx, PollEvery, func() (bool, error) {
		err := do()
		if ctx.Err() == nil || last == nil { // what is wrong says more than that time is up
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w (%w)", last, err)
	}
	return nil
}
