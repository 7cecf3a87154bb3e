package suite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/suite"
)

func ignore() suite.Doing {
	return suite.Doing{Jobs: 1, Begin: func(suite.Item) {}, End: func(suite.Result) {}, Do: func(_ context.Context, i suite.Item) (suite.Result, error) {
		return suite.Result{Item: i, Run: i.String()}, nil
	}}
}

func create(t *testing.T, items []suite.Item) *suite.Book {
	t.Helper()
	b, err := suite.Create(filepath.Join(t.TempDir(), "s"), "smoke", []string{"--rate=10"}, items)
	require.NoError(t, err)
	return b
}

func TestItemsSeeEveryExperimentFirst(t *testing.T) {
	require.Equal(t, []suite.Item{{"a", 7}, {"b", 7}, {"a", 8}, {"b", 8}}, suite.Items([]string{"a", "b"}, 7, 2))
	require.Empty(t, suite.Items([]string{"a"}, 1, 0))
}

func TestSuiteGoesOnWhereItWas(t *testing.T) {
	items := suite.Items([]string{"a", "b", "c"}, 1, 1)
	b := create(t, items)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("Ctrl-C")
	d := ignore()
	d.Do = func(_ context.Context, i suite.Item) (suite.Result, error) {
		switch i.Experiment {
		case "a":
			return suite.Result{Item: i, Run: "run-a", Exit: 3}, nil
		case "b":
			cancel(stop)
			return suite.Result{}, suite.ErrInterrupted
		}
		t.Errorf("no run begins after an interrupt")
		return suite.Result{}, nil
	}
	require.ErrorIs(t, b.Run(ctx, d), stop)

	again, err := suite.Open(b.Dir())
	require.NoError(t, err)
	require.Equal(t, items[1:], again.Left())
	require.Equal(t, []string{"--rate=10"}, again.Args)
	require.NoError(t, again.Run(t.Context(), ignore()))
	require.Empty(t, again.Left())
	require.Equal(t, []suite.Result{{Item: items[0], Run: "run-a", Exit: 3}, {Item: items[1], Run: "b seed 1"}, {Item: items[2], Run: "c seed 1"}}, again.Done())
}

func TestFailedRunIsDoneAgain(t *testing.T) {
	b := create(t, suite.Items([]string{"a", "b"}, 1, 1))
	d := ignore()
	d.Do = func(_ context.Context, i suite.Item) (suite.Result, error) {
		return suite.Result{Item: i, Exit: 1, Error: "no java"}, nil
	}
	require.NoError(t, b.Run(t.Context(), d), "a run that fails doesn't keep the next from its turn")
	require.Len(t, b.Left(), 2)
	require.NoError(t, b.Run(t.Context(), ignore()))
	require.Len(t, b.Done(), 2, "the new result takes the old one's place")
}

func TestJobsAtATime(t *testing.T) {
	b := create(t, suite.Items([]string{"a", "b", "c", "d", "e", "f"}, 1, 1))
	var now, most atomic.Int32
	both := make(chan struct{})
	var once sync.Once
	d := ignore()
	d.Jobs = 2
	d.Do = func(_ context.Context, i suite.Item) (suite.Result, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		if now.Load() == 2 {
			once.Do(func() { close(both) })
		}
		<-both // the first run goes on only once there is a second
		now.Add(-1)
		return suite.Result{Item: i, Run: "x"}, nil
	}
	require.NoError(t, b.Run(t.Context(), d))
	require.EqualValues(t, 2, most.Load())
}

func TestABookThatCantBeWrittenEndsTheSuite(t *testing.T) {
	b := create(t, suite.Items([]string{"a", "b"}, 1, 1))
	d := ignore()
	ran := 0
	d.Do = func(_ context.Context, i suite.Item) (suite.Result, error) {
		ran++
		require.NoError(t, os.RemoveAll(b.Dir()))
		return suite.Result{Item: i, Run: "x"}, nil
	}
	require.ErrorIs(t, b.Run(t.Context(), d), os.ErrNotExist)
	require.Equal(t, 1, ran)
}

func TestBooksThatAreNone(t *testing.T) {
	dir := t.TempDir()
	_, err := suite.Open(dir)
	require.ErrorContains(t, err, "not a suite's folder")
	require.NoError(t, os.WriteFile(filepath.Join(dir, suite.File), []byte(`{"version": 9}`), 0o644))
	_, err = suite.Open(dir)
	require.ErrorContains(t, err, "version 9; this chaeos reads version 1")
	require.NoError(t, os.WriteFile(filepath.Join(dir, suite.File), []byte(`{`), 0o644))
	_, err = suite.Open(dir)
	require.ErrorContains(t, err, suite.File)
	_, err = suite.Create(dir, "again", nil, nil)
	require.ErrorContains(t, err, "--resume")
}
