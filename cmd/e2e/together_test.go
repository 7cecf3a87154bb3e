package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads"
)

// together are the experiments of testdata that have every pipeline of the registry between them, and no fault.
// harness/catalogue holds their files to that.
var together = []string{"together-workers.yaml", "together-others.yaml"}

// brokenAlone are the pipelines whose claim fails without any fault, each with what it keeps.
var brokenAlone = map[string]harness.Guarantee{
	"aborting-read-uncommitted": harness.AtLeastOnce,
}

// own runs an experiment of testdata.
func own(t *testing.T, file string) *harness.Report {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", file))
	require.NoError(t, err)
	return experiment(t, path)
}

// TestEveryPipelineHoldsItsClaimLeftAlone: all of the registry side by side on real brokers, with nothing lost, doubled or
// torn.
func TestEveryPipelineHoldsItsClaimLeftAlone(t *testing.T) {
	rows := map[string]harness.Row{}
	for _, file := range together {
		for _, row := range own(t, file).Rows {
			rows[row.Pipeline] = row
		}
	}
	for _, p := range workloads.Infos() {
		t.Run(p.Name, func(t *testing.T) {
			row, ran := rows[p.Name]
			require.True(t, ran, "add it to one of %v", together)
			if kept, ok := brokenAlone[p.Name]; ok {
				require.Equal(t, harness.Violated, row.Verdict(p.Claims))
				require.Equal(t, harness.Held, row.Verdict(kept))
				require.NotZero(t, row.Numbers.Count("duplicates"))
				require.Zero(t, row.Numbers.Count("contradicted"), "its transactions end as its workers are told, whoever reads them")
				return
			}
			require.Equal(t, harness.Held, row.Verdict(p.Claims), "%+v", row.Verdicts)
			spotless(t, row.Numbers)
		})
	}
}

// spotless checks the figures of a row of which nothing was lost, doubled or torn.
func spotless(t *testing.T, n harness.Numbers) {
	t.Helper()
	require.Equal(t, n.Count("input"), n.Count("unique"))
	require.Zero(t, n.Count("duplicates"))
	require.Zero(t, n.Count("lost"))
	for _, key := range []string{"torn", "committedNotSeen", "abortedSeen", "contradicted", "split"} {
		require.Zero(t, n.Count(key), key)
	}
}
