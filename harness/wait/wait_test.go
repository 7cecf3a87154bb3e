package wait_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/wait"
)

func TestSleepEndsWithItsContext(t *testing.T) {
	cause := errors.New("second Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	begin := time.Now()
	require.ErrorIs(t, wait.Sleep(ctx, time.Hour), cause)
	require.Less(t, time.Since(begin), time.Minute)
	require.ErrorIs(t, wait.Sleep(ctx, 0), cause, "a context that is already done wins over a sleep of nothing")
}

func TestSleepPasses(t *testing.T) {
	begin := time.Now()
	require.NoError(t, wait.Sleep(t.Context(), 5*time.Millisecond))
	require.GreaterOrEqual(t, time.Since(begin), 5*time.Millisecond)
}

func TestPollStopsWhenDone(t *testing.T) {
	calls := 0
	require.NoError(t, wait.Poll(t.Context(), time.Millisecond, func() (bool, error) { calls++; return calls == 3, nil }))
	require.Equal(t, 3, calls)
}

func TestPollReturnsTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	require.ErrorIs(t, wait.Poll(t.Context(), time.Hour, func() (bool, error) { return false, broken }), broken)
}

func TestPollEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := wait.Poll(ctx, time.Millisecond, func() (bool, error) { return false, nil })
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
