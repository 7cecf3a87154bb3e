package toxics

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
	// adminWithin bounds the heal of one administrative fault.
	adminWithin = 30 * time.Second
	// adminTimeout is what a broker may take for a request, as it is told: less than one question may take.
	adminTimeout = 1500 * time.Millisecond
	adminEvery   = 100 * time.Millisecond
)

// askAdmin sends an administrative request to whatever broker answers: each forwards it to the active controller. The
// client's own notion of the controller may name a broker that is down.
func askAdmin[R kmsg.Response](ctx context.Context, f *harness.Field, req kmsg.Request) (R, error) {
	return askOf[R](ctx, f.Admin, f.Cluster.Info().Nodes, req)
}

// askOf sends a request to the nodes in turn until one answers.
func askOf[R kmsg.Response](ctx context.Context, client *kgo.Client, nodes []int, req kmsg.Request) (R, error) {
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

// codeError is the error of a code with the broker's own words.
func codeError(code int16, message *string) error {
	err := kerr.ErrorForCode(code)
	if err != nil && message != nil && *message != "" {
		return fmt.Errorf("%w (%s)", err, *message)
	}
	return err
}

// until repeats what fails, until it doesn't or ctx ends.
func until(ctx context.Context, do func() error) error {
	var last error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		last = do()
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

// moveWithin bounds one round.
const moveWithin = 5 * time.Second

// askLeader sends a request to a partition's leader, as it is known: a negative one is none.
func askLeader[R kmsg.Response](ctx context.Context, f *harness.Field, leader int, req kmsg.Request) (R, error) {
	if leader < 0 {
		var none R
		return none, errors.New("it has no leader now")
	}
	return askOf[R](ctx, f.Admin, []int{leader}, req)
}
