package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// About says why records are there more than once, or lost: their anomalies in full, however many of their kind come before
// them. A record with nothing to explain has none. Questions are answered together, in one reading of the folder.
func About(dir string, asked []Question) ([]harness.Anomaly, error) {
	r, err := load(dir)
	if err != nil {
		return nil, err
	}
	in, err := tallyInput(r)
	if err != nil {
		return nil, err
	}
	keep := keeping{most: harness.MaxAnomalies, asked: asked}
	missing := newInputLosses(r, in, keep)
	var all []harness.Anomaly
	for _, layout := range r.record.Plan.Pipelines {
		if !slices.ContainsFunc(asked, func(q Question) bool { return q.Pipeline == layout.Name }) {
			continue
		}
		e, err := gather(r, in, layout, keep, missing)
		if err != nil {
			return nil, err
		}
		all = append(all, answers(e, asked)...)
	}
	return all, nil
}

// answers are the anomalies of the records that somebody asks about in the row.
func answers(e *facts, asked []Question) (all []harness.Anomaly) {
	wanted := map[history.Identity]bool{}
	for _, q := range asked {
		if q.Pipeline == e.layout.Name {
			wanted[q.Identity] = true
		}
	}
	found := slices.Concat(e.duplicates.anomalies, e.losses.anomalies)
	if e.inputLost != nil {
		found = append(found, e.inputLost.first...)
	}
	for _, a := range found {
		if a.Record != nil && wanted[history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}] {
			a.Pipeline = e.layout.Name
			all = append(all, a)
		}
	}
	return all
}
