package together

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var errOdd = errors.New("odd")

// allIn returns a function that returns only once n goroutines have called it.
func allIn(n int) func() {
	var in sync.WaitGroup
	in.Add(n)
	return func() { in.Done(); in.Wait() }
}

func TestDoIsAtOnceAndJoinsInOrder(t *testing.T) {
	meet := allIn(4)
	err := Do([]int{3, 2, 1, 0}, func(i int) error {
		meet()
		if i%2 == 1 {
			return fmt.Errorf("%d is %w", i, errOdd)
		}
		return nil
	})
	require.EqualError(t, err, "3 is odd\n1 is odd")
	require.ErrorIs(t, err, errOdd)
	require.NoError(t, Do(nil, func(int) error { return errOdd }))
	require.NoError(t, Do([]int{1}, func(int) error { return nil }))
}

func TestAll(t *testing.T) {
	meet := allIn(3)
	fails := func(text string) func() error { return func() error { meet(); return errors.New(text) } }
	require.EqualError(t, All(fails("a"), func() error { meet(); return nil }, fails("b")), "a\nb")
	require.NoError(t, All())
}

func TestAskKeepsAnswersAndErrors(t *testing.T) {
	meet := allIn(3)
	answers, errs := Ask([]int{1, 2, 3}, func(i int) (string, error) {
		meet()
		if i == 2 {
			return "", errOdd
		}
		return fmt.Sprint(i * i), nil
	})
	require.Equal(t, []string{"1", "", "9"}, answers)
	require.Equal(t, []error{nil, errOdd, nil}, errs)
}

func TestAPanicIsTheCallers(t *testing.T) {
	var ended atomic.Int32
	boom := func(i int) error {
		defer ended.Add(1)
		if i == 1 {
			panic("boom")
		}
		return nil
	}
	for name, do := range map[string]func(){
		"do":      func() { _ = Do([]int{0, 1, 2}, boom) },
		"at most": func() { _ = AtMost(1, 3, boom) },
	} {
		ended.Store(0)
		var got any
		func() {
			defer func() { got = recover() }()
			do()
		}()
		require.Contains(t, got, "boom\n", name)
		require.Contains(t, got, "together_test.go", "%s: where it was", name)
		require.EqualValues(t, 3, ended.Load(), name)
	}
}

func TestAtMostBoundsHowManyAtATime(t *testing.T) {
	const limit, n = 3, 30
	var running, most, done atomic.Int32
	meet := allIn(limit)
	err := AtMost(limit, n, func(i int) error {
		now := running.Add(1)
		defer running.Add(-1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		if i < limit { // the first ones end only once all of them have begun: as many as allowed really run together
			meet()
		}
		done.Add(1)
		if i == 7 || i == 5 {
			return fmt.Errorf("%d", i)
		}
		return nil
	})
	require.EqualError(t, err, "5\n7")
	require.EqualValues(t, limit, most.Load())
	require.EqualValues(t, n, done.Load())
	require.NoError(t, AtMost(0, 2, func(int) error { return nil }), "a limit below one is one")
}
