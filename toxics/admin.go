package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
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
