package toxics

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the order of claims and heals: what the newest fault still active wants is in force, and at the end what was
// there at first.
func TestOriginalsComeBackInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o originals[int]
		now, active := 7, []*claim[int]{}
		for n := range rapid.IntRange(1, 12).Draw(t, "steps") {
			if len(active) == 0 || rapid.Bool().Draw(t, "claim") {
				c, err := o.take("x", n, func() (int, error) { return now, nil })
				require.NoError(t, err)
				now, active = n, append(active, c)
				continue
			}
			at := rapid.IntRange(0, len(active)-1).Draw(t, "which")
			c := active[at]
			active = append(active[:at:at], active[at+1:]...)
			_, err := o.give(c, func(int) error { return errors.New("not yet") })
			require.Error(t, err)
			last, err := o.give(c, func(v int) error { now = v; return nil })
			require.NoError(t, err)
			require.Equal(t, len(active) == 0, last)
			want := 7
			if len(active) > 0 {
				want = active[len(active)-1].want
			}
			require.Equal(t, want, now)
			require.Equal(t, len(active) > 0, o.claimed("x"))
		}
	})
}

func TestWhatCantBeReadIsNotClaimed(t *testing.T) {
	var o originals[int]
	_, err := o.take("x", 1, func() (int, error) { return 0, errors.New("no answer") })
	require.Error(t, err)
	assert.False(t, o.claimed("x"))
}
