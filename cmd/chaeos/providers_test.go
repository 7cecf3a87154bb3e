package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestProvidersAreWhole(t *testing.T) {
	names := map[string]bool{autoCluster: true}
	var known []string
	for _, a := range harness.Abilities() {
		known = append(known, a.Name)
	}
	for _, p := range providers() {
		require.False(t, names[p.name], "two are called %s", p.name)
		names[p.name] = true
		require.Subset(t, known, p.abilities)
		for what, text := range map[string]string{"runs": p.runs, "taken": p.taken, "lacking": p.lacking} {
			require.NotEmpty(t, text, "%s of %s", what, p.name)
		}
		require.Equal(t, p.name, p.new(clusterRequest{}, []string{"chaeos"}).Name())
	}
}

// fakeProvider has a cluster up if attached is nil.
func fakeProvider(name string, attached error) provider {
	return provider{
		name: name,
		attach: func(context.Context) (harness.Cluster, error) {
			if attached != nil {
				return nil, attached
			}
			return fakeCluster{}, nil
		},
		prune: func(_ context.Context, all bool) ([]string, error) {
			return []string{fmt.Sprintf("%s, all %t", name, all)}, attached
		},
	}
}

func TestAttachAsksEveryProvider(t *testing.T) {
	none, up := fakeProvider("a", harness.ErrNoCluster), fakeProvider("b", nil)
	stale := fakeProvider("c", fmt.Errorf("%w: its keeper no longer runs", harness.ErrStale))
	silent := fakeProvider("d", errors.New("no answer"))

	found, err := attach(t.Context(), []provider{none, up, stale})
	require.NoError(t, err)
	require.Equal(t, fakeCluster{}, found)
	for name, of := range map[string][]provider{"none": {none}, "stale": {none, stale, up}} {
		_, err := attach(t.Context(), of)
		require.ErrorIs(t, err, errNoCluster, name)
	}
	_, err = attach(t.Context(), []provider{silent, up})
	require.EqualError(t, err, "no answer", "what can't be asked may be up")
}

func TestPruneGoesOnAfterAnError(t *testing.T) {
	removed, err := prune(t.Context(), []provider{fakeProvider("a", errors.New("no answer")), fakeProvider("b", nil)}, true)
	require.EqualError(t, err, "no answer")
	require.Equal(t, []string{"a, all true", "b, all true"}, removed)
}
