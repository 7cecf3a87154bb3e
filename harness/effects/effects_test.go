package effects

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEffectsAreKeptInOrderAndKeysOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%c", File)
	_, err := Open(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	_, err = Open(path)
	require.ErrorIs(t, err, os.ErrNotExist, "a store that is only just being made")
	before := time.Now().UnixMilli()
	s, err := Create(path)
	require.NoError(t, err)
	accept := func(partition int32, key, value string) bool {
		stored, err := s.Accept("p", partition, key, []byte(value))
		require.NoError(t, err)
		return stored
	}
	require.True(t, accept(0, "", "a"))
	require.True(t, accept(0, "", "a"), "without a key everything is stored")
	require.True(t, accept(1, "k", "b"))
	require.False(t, accept(1, "k", "b"), "a key is honoured once")
	require.True(t, accept(0, "l", "c"))

	r, err := Open(path) // while it is being written
	require.NoError(t, err)
	got, err := r.From(t.Context(), "p", 0, 1, 10)
	require.NoError(t, err)
	for i := range got {
		require.GreaterOrEqual(t, got[i].Accepted, before)
		require.LessOrEqual(t, got[i].Accepted, time.Now().UnixMilli())
		got[i].Accepted = 0
	}
	require.Equal(t, []Effect{{1, []byte("a"), 0}, {2, []byte("c"), 0}}, got)
	end, err := r.End(t.Context(), "p", 1)
	require.NoError(t, err)
	require.Equal(t, int64(1), end)
	require.NoError(t, r.Close())
	require.NoError(t, s.Close())

	s, err = Create(path) // a new incarnation continues
	require.NoError(t, err)
	stored, err := s.Accept("p", 1, "k", []byte("b"))
	require.NoError(t, err)
	require.False(t, stored)
	require.NoError(t, s.Forget())
	require.NoError(t, s.Forget(), "nothing is left")
	for _, want := range []bool{true, false} {
		stored, err = s.Accept("p", 1, "k", []byte("b"))
		require.NoError(t, err)
		require.Equal(t, want, stored, "a forgotten key is as good as new, and remembered again")
	}
	r, err = Open(path)
	require.NoError(t, err)
	forgotten, err := r.Forgotten(t.Context(), "p")
	require.NoError(t, err)
	require.EqualValues(t, 2, forgotten)
	require.NoError(t, r.Close())
	require.NoError(t, s.Close())
}
