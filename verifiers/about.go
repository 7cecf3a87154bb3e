package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// Question is a record that somebody asks about in one pipeline. At are its places in the pipeline's input log (none: it is
// not there); a record of a source under test needs none.
type Question struct {
	Pipeline string
	history.Identity
	At []harness.Place
}

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
	r.asked = asked
	var all []harness.Anomaly
	for _, layout := range r.record.Plan.Pipelines {
		if !slices.ContainsFunc(asked, func(q Question) bool { return q.Pipeline == layout.Name }) {
			continue
		}
		e, err := gather(r, in, layout)
		if err != nil {
			return nil, err
		}
		all = append(all, e.answers()...)
	}
	return all, nil
}

// answers are the anomalies of the records that somebody asks about in the row.
func (e *evidence) answers() (all []harness.Anomaly) {
	wanted := map[history.Identity]bool{}
	for _, q := range e.run.asked {
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

// askedKeys are the keys of the records that somebody asks about in a row.
func (r *run) askedKeys(layout harness.PipelineLayout) map[keyset.Key]bool {
	keys := map[keyset.Key]bool{}
	for _, q := range r.asked {
		switch {
		case q.Pipeline != layout.Name || q.Source != layout.Source:
		case layout.ProducerOnly:
			keys[keyset.BySequence(q.Sequence, r.record.Plan.Partitions)] = true
		default:
			for _, p := range q.At {
				keys[keyset.Key{Class: p.Partition, Index: uint64(p.Offset)}] = true
			}
		}
	}
	return keys
}

// asksFor says that somebody asks about a source's record.
func (r *run) asksFor(id history.Identity) bool {
	return slices.ContainsFunc(r.asked, func(q Question) bool { return q.Identity == id })
}
