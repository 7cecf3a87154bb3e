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

// HealedWithin bounds the wait until everything that a fault touched looks as it did before.
const HealedWithin = 15 * time.Second

// healLook is one thing that must be so once a fault is healed.
type healLook struct {
	// proof says that it is so: "no toxic left on 8 links".
	proof string
	// broken says what is not so, nil when it is, and leftError where another fault must see to it.
	broken func(context.Context) error
}

// Expect notes what must be so once the fault is healed.
func (i *Injection) Expect(proof string, broken func(context.Context) error) {
	i.looks = append(i.looks, healLook{proof, broken})
}

// leftError says that a fault's heal left something as another fault wants it.
type leftError string

func (l leftError) Error() string { return string(l) }

func IsLeft(err error) bool {
	var left leftError
	return errors.As(err, &left)
}

// CheckHeal looks, by effect, whether everything that the fault touched is as it was, and waits a bounded time for it. It
// says by what that was seen, or what stayed broken.
func (i *Injection) CheckHeal(ctx context.Context) (string, error) {
	ctx, cancel := HealContext(ctx, HealedWithin)
	defer cancel()
	var proofs []string
	var errs []error
	for _, l := range i.looks {
		var last error
		err := wait.Poll(ctx, admin.PollEvery, func() (bool, error) {
			last = l.broken(ctx)
			return last == nil || IsLeft(last), nil
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("stayed broken for %s: %w", HealedWithin, errors.Join(last, err)))
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
