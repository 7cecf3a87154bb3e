package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
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
	return ask.First[R](ctx, f.Brokers(), req)
}

// AskLeader sends a request to a partition's leader, which the caller knows; a negative number is no leader.
func AskLeader[R kmsg.Response](ctx context.Context, f *harness.Field, leader int, req kmsg.Request) (R, error) {
	if leader < 0 {
		var none R
		return none, ErrNoLeader
	}
	return ask.One[R](ctx, f.Brokers(), leader, req)
}

// ErrNoLeader is why a partition's leader can't be asked.
var ErrNoLeader = errors.New("it has no leader now")

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
