package verifiers

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// inputAnomalies lists the inputs behind the counts of lost, unprocessed, hidden and phantom records, for the kinds that
// no check has listed with more detail.
func inputAnomalies(e *facts, found []finding) []finding {
	listed := map[harness.AnomalyKind]bool{}
	for _, f := range found {
		for _, a := range f.anomalies {
			listed[a.Kind] = true
		}
	}
	sets := []struct {
		kind harness.AnomalyKind
		keys *keyset.Set
	}{
		{harness.AnomalyLost, e.lost}, {harness.AnomalyUnprocessed, e.unprocessed}, {harness.AnomalyHidden, e.hidden},
	}
	if e.layout.ProducerOnly {
		sets = append(sets, struct {
			kind harness.AnomalyKind
			keys *keyset.Set
		}{harness.AnomalyPhantom, e.source.failed.And(e.out.seen)})
	}
	var all finding
	for _, s := range sets {
		if listed[s.kind] {
			continue
		}
		for _, k := range s.keys.First(e.keep.most) {
			all.anomalies = append(all.anomalies, harness.Anomaly{Kind: s.kind, Record: e.recordRef(k), Text: e.name(k)})
		}
	}
	return []finding{all}
}
