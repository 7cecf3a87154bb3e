package inject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
)

// healedWithin bounds the wait until everything that a fault touched looks as it did before.
const healedWithin = 15 * time.Second

// healLook is one thing that must be so once a fault is healed.
type healLook struct {
	// proof is quoted if it is so: "no toxic left on 8 links".
	proof string
	// broken returns what is not so, nil if it is, and a leftError if another fault must see to it.
	broken func(context.Context) error
}

// Expect notes what must be so once the fault is healed.
func (i *Injection) Expect(proof string, broken func(context.Context) error) {
	i.looks = append(i.looks, healLook{proof, broken})
}

// leftError is what a heal left as another fault wants it.
type leftError string

func (l leftError) Error() string { return string(l) }

// IsLeft reports whether an error is one that another fault must see to.
func IsLeft(err error) bool {
	var left leftError
	return errors.As(err, &left)
}

// CheckHeal looks whether everything that the fault touched is as it was, and waits a bounded time for it. It returns what it
// saw, or what stayed broken.
func (i *Injection) CheckHeal(ctx context.Context) (string, error) {
	ctx, cancel := HealContext(ctx, healedWithin)
	defer cancel()
	var proofs []string
	var errs []error
	for _, l := range i.looks {
		var last error
		err := wait.Poll(ctx, admin.PollEvery, func() (bool, error) {
			broken := l.broken(ctx)
			if ctx.Err() == nil || last == nil { // what is wrong says more than that time is up
				last = broken
			}
			return broken == nil || IsLeft(broken), nil
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("stayed broken for %s: %w", healedWithin, errors.Join(last, err)))
			continue
		}
		proof := l.proof
		if last != nil {
			proof = last.Error()
		}
		if !slices.Contains(proofs, proof) {
			proofs = append(proofs, proof)
		}
	}
	return strings.Join(proofs, ", "), errors.Join(errs...)
}
