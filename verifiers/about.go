package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// About says why records are there more than once, or lost: their anomalies in full, however many of their kind come before
// them. A record with nothing to explain has none. Questions are answered together, in one reading of the folder.
func About(dir string, asked []Question) ([]harness.Anomaly, error) {
	run, err := saved.Load(dir, saved.DefaultPieces())
	if err != nil {
		return nil, err
	}
	keep := rows.Keep{Most: harness.MaxAnomalies, Asked: asked}
	unread := func(*logs.Partition) []logs.Reader { return nil }
	in, err := logs.ReadInput(run, unread)
	if err != nil {
		return nil, err
	}
	missing := causes.NewInputLosses(run, in, keep)
	var all []harness.Anomaly
	for _, layout := range run.Record.Plan.Pipelines {
		if !slices.ContainsFunc(asked, func(q Question) bool { return q.Pipeline == layout.Name }) {
			continue
		}
		f, err := factsOf(rows.NewSubject(run, layout, keep), in, missing, &kit.Set{})
		if err != nil {
			return nil, err
		}
		all = append(all, answers(f, asked)...)
	}
	return all, nil
}

// answers are the anomalies of the records that are asked about in the row.
func answers(f *kit.Facts, asked []Question) (all []harness.Anomaly) {
	wanted := map[history.Identity]bool{}
	for _, q := range asked {
		if q.Pipeline == f.Layout.Name {
			wanted[q.Identity] = true
		}
	}
	found := slices.Concat(f.Copies.Anomalies, f.Losses.Anomalies)
	if f.InputLost != nil {
		found = append(found, f.InputLost.First...)
	}
	for _, a := range found {
		if a.Record != nil && wanted[history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}] {
			a.Pipeline = f.Layout.Name
			all = append(all, a)
		}
	}
	return all
}
