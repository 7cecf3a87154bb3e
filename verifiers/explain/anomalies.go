package explain

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
)

// Anomalies tells the lives of the first most anomalies of each kind that the verifier keeps (harness.MaxAnomalies of a
// kind and pipeline), in its order: by pipeline, then by place in the log. A record is told once a kind, a torn transaction
// by one of its records. Pipeline narrows it to one ("" all).
func Anomalies(dir string, kinds []harness.AnomalyKind, most int, pipeline string) ([]*harness.RecordLife, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	if pipeline != "" {
		if _, err := f.layout(pipeline); err != nil {
			return nil, err
		}
	}
	report, err := verifiers.Judge(dir)
	if err != nil {
		return nil, err
	}
	var lives []*harness.RecordLife
	for _, kind := range kinds {
		for _, a := range pick(report.Anomalies, kind, most, pipeline) {
			life, err := Of(dir, Ref{Identity: history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}}, a.Pipeline)
			if err != nil {
				return nil, err
			}
			lives = append(lives, life)
		}
	}
	return lives, nil
}

// pick keeps the first anomalies of a kind that name a record, each record once.
func pick(all []harness.Anomaly, kind harness.AnomalyKind, most int, pipeline string) []harness.Anomaly {
	var picked []harness.Anomaly
	type once struct {
		pipeline string
		harness.RecordRef
	}
	seen := map[once]bool{}
	for _, a := range all {
		if a.Kind != kind || a.Record == nil || pipeline != "" && pipeline != a.Pipeline || len(picked) == most {
			continue
		}
		if key := (once{a.Pipeline, *a.Record}); !seen[key] {
			seen[key] = true
			picked = append(picked, a)
		}
	}
	return picked
}
