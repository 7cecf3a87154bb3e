package triggers

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
)

var ackedKind = Kind{
	Name:    "acked",
	About:   "N records were acknowledged to the sources since the trigger was armed (they report ten times a second)",
	Value:   "how many records",
	Sign:    "N",
	Options: []options.Info{{Name: "of", About: "the pipeline whose source counts; default: all sources together"}},
	make: func(r *options.Reader) trigger {
		return acked{n: count(r, "acked", 0, 1), of: r.Word("of")}
	},
}

// acked waits for acknowledgements. The sources report how many there are every tenth of a second, so it fires up to a tenth of
// a second after the record that it waits for.
type acked struct {
	n  uint64
	of string
}

var _ harness.Trigger = acked{}

func (a acked) String() string {
	if a.of == "" {
		return fmt.Sprintf("%d records acked", a.n)
	}
	return fmt.Sprintf("%d records acked to the source of %s", a.n, a.of)
}

func (a acked) validate(s harness.Scope) (harness.Trigger, error) {
	if a.of == "" {
		return a, nil
	}
	_, err := pipelineOf(s, a.of)
	return a, err
}

func (acked) Holds() []string { return nil }

func (a acked) Arm(_ context.Context, f *harness.Field, _ harness.Signs) (harness.Armed, error) {
	return ackedArmed{a, f.Fleet, f.Fleet.Acked(a.of)}, nil
}

type ackedArmed struct {
	acked
	fleet harness.Roster
	// before is how many records were acknowledged before it was armed.
	before uint64
}

// ackedEvery is the pause between two looks at the count.
const ackedEvery = 20 * time.Millisecond

func (a ackedArmed) Await(ctx context.Context) (string, error) {
	var n uint64
	err := wait.Poll(ctx, ackedEvery, func() (bool, error) {
		n = a.fleet.Acked(a.of) - a.before
		return n >= a.n, nil
	})
	if err != nil {
		return "", fmt.Errorf("%w: %d of %d records are acked", err, n, a.n)
	}
	return fmt.Sprintf("after %d records acked", n), nil
}

func (ackedArmed) Release(context.Context) error { return nil }
