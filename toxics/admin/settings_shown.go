package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
)

// heardOf is how old a broker's last fetch of the metadata log may be before the broker counts as cut off. Brokers fetch
// twice a second.
const heardOf = 3 * time.Second

// Shows returns an error if a broker shows another own value of a setting than the given one. Brokers that don't answer, or
// are cut off from the quorum, are left out: another fault may have them, and they will hear of the change later.
func Shows(ctx context.Context, f *harness.Field, r Resource, name string, value *string) error {
	nodes := r.Nodes(f)
	values, failures := together.Ask(nodes, func(node int) (*string, error) {
		entry, err := DescribeSetting(ctx, f, []int{node}, r, name)
		return OwnValue(r, entry), err
	})
	var current, behind []int
	for at, node := range nodes {
		switch {
		case failures[at] != nil:
		case valueText(values[at]) == valueText(value):
			current = append(current, node)
		default:
			behind = append(behind, node)
		}
	}
	if len(current) == 0 && len(behind) == 0 {
		return errors.Join(failures...)
	}
	for _, node := range behind {
		if len(current) == 0 || hears(ctx, f, current, node) {
			now := values[slices.Index(nodes, node)]
			return fmt.Errorf("%s of %s is %s at broker %d, and should be %s", name, r, valueText(now), node, valueText(value))
		}
	}
	return nil
}

// hears reports whether a node follows the metadata log, as far as the quorum's leader knows. The brokers to ask must be some
// that do.
func hears(ctx context.Context, f *harness.Field, asked []int, node int) bool {
	quorum, err := f.Brokers().Only(asked...).Quorum(ctx)
	return err != nil || quorum.HeardSince(node, time.Now().Add(-heardOf).UnixMilli()) // the leader answers by the wall clock, which is the same machine's
}
