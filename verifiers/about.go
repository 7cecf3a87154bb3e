package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// About says why records are there more than once, or lost: their anomalies in full, however many of their kind come before
// them. A record with nothing to explain has none. Questions are answered together, in one reading of the folder.
func About(dir string, asked []rows.Question) ([]harness.Anomaly, error) {
	r, err := saved.Load(dir, saved.DefaultPieces())
	if err != nil {
		return nil, err
	}
	in, err := logs.ReadInput(r)
	if err != nil {
		return nil, err
	}
	keep := rows.Keep{Most: harness.MaxAnomalies, Asked: asked}
	missing := causes.NewInputLosses(r, in, keep)
	var all []harness.Anomaly
	for _, layout := range r.Record.Plan.Pipelines {
		if !slices.ContainsFunc(asked, func(q rows.Question) bool { return q.Pipeline == layout.Name }) {
			continue
		}
		e, err := checks.Gather(r, in, layout, keep, missing)
		if err != nil {
			return nil, err
		}
		all = append(all, answers(e, asked)...)
	}
	return all, nil
}

// answers are the anomalies of the records that somebody asks about in the row.
func answers(e *checks.Facts, asked []rows.Question) (all []harness.Anomaly) {
	wanted := map[history.Identity]bool{}
	for _, q := range asked {
		if q.Pipeline == e.Layout.Name {
			wanted[q.Identity] = true
		}
	}
	found := slices.Concat(e.Duplicates.Anomalies, e.Losses.Anomalies)
	if e.InputLost != nil {
		found = append(found, e.InputLost.First...)
	}
	for _, a := range found {
		if a.Record != nil && wanted[history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}] {
			a.Pipeline = e.Layout.Name
			all = append(all, a)
		}
	}
	return all
}
