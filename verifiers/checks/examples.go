package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// Examples lists the inputs behind the counts of lost, unprocessed, hidden and phantom records, for the kinds that no check
// has listed with more detail.
func Examples(f *kit.Facts, found []kit.Finding) []harness.Anomaly {
	listed := map[harness.AnomalyKind]bool{}
	for _, x := range found {
		for _, a := range x.Anomalies {
			listed[a.Kind] = true
		}
	}
	var all []harness.Anomaly
	list := func(kind harness.AnomalyKind, keys *keyset.Set) {
		if listed[kind] {
			return
		}
		for _, k := range keys.First(f.Keep.Most) {
			all = append(all, harness.Anomaly{Kind: kind, Record: f.RecordRef(k), Text: f.RecordName(k)})
		}
	}
	list(harness.AnomalyLost, f.Lost)
	list(harness.AnomalyUnprocessed, f.Unprocessed)
	list(harness.AnomalyHidden, f.Hidden)
	if f.SourceUnderTest() {
		list(harness.AnomalyPhantom, phantomsOfSource(f))
	}
	return all
}
