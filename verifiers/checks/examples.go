package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// inputAnomalies lists the inputs behind the counts of lost, unprocessed, hidden and phantom records, for the kinds that
// no check has listed with more detail.
func InputAnomalies(e *Facts, found []Finding) []Finding {
	listed := map[harness.AnomalyKind]bool{}
	for _, f := range found {
		for _, a := range f.Anomalies {
			listed[a.Kind] = true
		}
	}
	sets := []struct {
		kind harness.AnomalyKind
		keys *keyset.Set
	}{
		{harness.AnomalyLost, e.Lost}, {harness.AnomalyUnprocessed, e.Unprocessed}, {harness.AnomalyHidden, e.Hidden},
	}
	if e.Layout.ProducerOnly {
		sets = append(sets, struct {
			kind harness.AnomalyKind
			keys *keyset.Set
		}{harness.AnomalyPhantom, e.Source.Failed.And(e.Out.Visible)})
	}
	var all Finding
	for _, s := range sets {
		if listed[s.kind] {
			continue
		}
		for _, k := range s.keys.First(e.Keep.Most) {
			all.Anomalies = append(all.Anomalies, harness.Anomaly{Kind: s.kind, Record: e.RecordRef(k), Text: e.RecordName(k)})
		}
	}
	return []Finding{all}
}
