package claims

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
		book := &Book{}
		settings := Of[int](book, "setting")
		now, active := 7, []*Claim[int]{}
		for n := range rapid.IntRange(1, 12).Draw(t, "steps") {
			if len(active) == 0 || rapid.Bool().Draw(t, "claim") {
				c, err := settings.Take("x", n, func() (int, error) { return now, nil })
				require.NoError(t, err)
				now, active = n, append(active, c)
				continue
			}
			at := rapid.IntRange(0, len(active)-1).Draw(t, "which")
			c := active[at]
			active = append(active[:at:at], active[at+1:]...)
			_, err := settings.Give(c, func(int) error { return errors.New("not yet") })
			require.Error(t, err)
			last, err := settings.Give(c, func(v int) error { now = v; return nil })
			require.NoError(t, err)
			require.Equal(t, len(active) == 0, last)
			want := 7
			if len(active) > 0 {
				want = active[len(active)-1].want
			}
			require.Equal(t, want, now)
			require.Equal(t, len(active) > 0, settings.Claimed("x"))
			require.Equal(t, len(active) > 0, len(book.Held()) > 0)
		}
	})
}

func TestWhatCantBeReadIsNotClaimed(t *testing.T) {
	book := &Book{}
	settings := Of[int](book, "setting")
	_, err := settings.Take("x", 1, func() (int, error) { return 0, errors.New("no answer") })
	require.Error(t, err)
	assert.False(t, settings.Claimed("x"))
	assert.Empty(t, book.things, "nothing is remembered of it")
}

func TestKindsAndBooksAreApart(t *testing.T) {
	one, other := &Book{}, &Book{}
	read := func() (string, error) { return "at first", nil }
	c, err := Of[string](one, "setting").Take("x", "wanted", read)
	require.NoError(t, err)
	assert.Equal(t, "at first", c.First())
	assert.Equal(t, []string{"setting x"}, one.Held())
	assert.False(t, Of[bool](one, "proxy").Claimed("x"), "a thing of another kind")
	assert.False(t, Of[string](other, "setting").Claimed("x"), "another run's")
	assert.Empty(t, other.Held())
}

// A thing that was finished stays so: no older fault's heal brings it back.
func TestAFinishedThingStays(t *testing.T) {
	processes := Of[string](&Book{}, "process")
	old, err := processes.Take("x", "paused", func() (string, error) { return "running", nil })
	require.NoError(t, err)
	require.NoError(t, processes.Change("x", func(one *Thing[string]) error {
		one.BeginOnce("never noted")
		one.Add("dead")
		one.Finish("dead")
		return nil
	}))
	var now string
	_, err = processes.Give(old, func(v string) error { now = v; return nil })
	require.NoError(t, err)
	assert.Equal(t, "dead", now)
	assert.Equal(t, "dead", old.First())
}

// The oldest claim is what is left when all others have ended.
func TestAgedClaims(t *testing.T) {
	processes := Of[string](&Book{}, "process")
	pause, err := processes.Take("x", "paused", func() (string, error) { return "running", nil })
	require.NoError(t, err)
	require.NoError(t, processes.Change("x", func(one *Thing[string]) error {
		c := one.Add("running")
		one.Begin("dead")
		one.Age(c)
		return nil
	}))
	var now string
	last, err := processes.Give(pause, func(v string) error { now = v; return nil })
	require.NoError(t, err)
	assert.False(t, last)
	assert.Equal(t, "running", now)
}

func TestNumbersAreUsedOnce(t *testing.T) {
	book := &Book{}
	assert.EqualValues(t, 1, book.Next())
	assert.EqualValues(t, 2, book.Next())
}
