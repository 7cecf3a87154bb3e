package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// TestAboutReachesBeyondTheFirst: of hundreds of anomalies a report keeps the first; asked about one record, its own is there,
// and no other's.
func TestAboutReachesBeyondTheFirst(t *testing.T) {
	for name, c := range map[string]struct {
		row  string
		do   func(w *world)
		id   history.Identity
		at   []harness.Place
		kind harness.AnomalyKind
	}{
		"doubled":          {plainName, func(w *world) { w.doubleEach(plainName, 5) }, history.Identity{Sequence: 2970}, []harness.Place{{Topic: inTopic, Offset: 990}}, harness.AnomalyDuplicate},
		"lost":             {plainName, func(w *world) { w.dropEach(plainName, 5) }, history.Identity{Sequence: 2970}, []harness.Place{{Topic: inTopic, Offset: 990}}, harness.AnomalyLost},
		"lost at a source": {srcName, func(w *world) { w.dropEach(srcName, 5) }, history.Identity{Source: 1, Sequence: 2970}, nil, harness.AnomalyLost},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(records)
			c.do(w)
			dir := w.save(t)
			report, err := Judge(dir)
			require.NoError(t, err)
			for _, a := range report.Anomalies {
				require.False(t, a.Kind == c.kind && a.Record.Sequence == c.id.Sequence, "the report keeps it already: it proves nothing here")
			}
			found, err := About(dir, []Question{{Pipeline: c.row, Identity: c.id, At: c.at}})
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.Equal(t, c.kind, found[0].Kind)
			require.Equal(t, c.row, found[0].Pipeline)
			require.NotEmpty(t, found[0].Cause)
			require.NotEmpty(t, found[0].Text)
		})
	}
	found, err := About(newWorld(records).save(t), []Question{{Pipeline: plainName, Identity: history.Identity{Sequence: 2970}, At: []harness.Place{{Topic: inTopic, Offset: 990}}}})
	require.NoError(t, err)
	require.Empty(t, found, "a record with nothing to explain")
}
