package provider

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestProvidersAreWhole(t *testing.T) {
	names := map[string]bool{Auto: true}
	var known []string
	for _, a := range harness.Abilities() {
		known = append(known, a.Name)
	}
	for _, p := range All() {
		require.False(t, names[p.name], "two are called %s", p.name)
		names[p.name] = true
		require.Subset(t, known, p.abilities)
		for what, text := range map[string]string{"runs": p.runs, "taken": p.taken, "lacking": p.lacking} {
			require.NotEmpty(t, text, "%s of %s", what, p.name)
		}
		require.Equal(t, p.name, p.new(Request{}, []string{"chaeos"}).Name())
	}
}

// upCluster is a cluster that is up.
type upCluster struct{ harness.Cluster }

// fakeProvider has a cluster up if attached is nil.
func fakeProvider(name string, attached error) Kind {
	return Kind{
		name: name,
		attach: func(context.Context) (harness.Cluster, error) {
			if attached != nil {
				return nil, attached
			}
			return upCluster{}, nil
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

	found, err := Attach(t.Context(), []Kind{none, up, stale})
	require.NoError(t, err)
	require.Equal(t, upCluster{}, found)
	for name, of := range map[string][]Kind{"none": {none}, "stale": {none, stale, up}} {
		_, err := Attach(t.Context(), of)
		require.ErrorIs(t, err, ErrNoCluster, name)
	}
	_, err = Attach(t.Context(), []Kind{silent, up})
	require.EqualError(t, err, "no answer", "what can't be asked may be up")
}

func TestPruneGoesOnAfterAnError(t *testing.T) {
	removed, err := Prune(t.Context(), []Kind{fakeProvider("a", errors.New("no answer")), fakeProvider("b", nil)}, true)
	require.EqualError(t, err, "no answer")
	require.Equal(t, []string{"a, all true", "b, all true"}, removed)
}
