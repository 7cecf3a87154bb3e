package explain

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/observation"
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
		all, err := f.named(report.Anomalies, kind, pipeline)
		if err != nil {
			return nil, err
		}
		for _, a := range pick(all, most) {
			life, err := Of(dir, Ref{Identity: history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}}, a.Pipeline)
			if err != nil {
				return nil, err
			}
			lives = append(lives, life)
		}
	}
	return lives, nil
}

// named are the anomalies of a kind by the records that they are about. One that is about a transaction is named by the
// transaction's first record in the output log; where the log holds none, there is no record to tell of.
func (f *folder) named(all []harness.Anomaly, kind harness.AnomalyKind, pipeline string) ([]harness.Anomaly, error) {
	var named []harness.Anomaly
	for _, a := range all {
		if a.Kind != kind || pipeline != "" && pipeline != a.Pipeline {
			continue
		}
		if a.Record == nil && a.Txn != nil && a.Txn.By != nil {
			id, found, err := f.firstOf(a.Pipeline, *a.Txn)
			if err != nil {
				return nil, err
			}
			if found {
				a.Record = &harness.RecordRef{Source: id.Source, Sequence: id.Sequence, Partition: -1, Offset: -1}
			}
		}
		if a.Record != nil {
			named = append(named, a)
		}
	}
	return named, nil
}

// firstOf looks for a transaction's first output.
func (f *folder) firstOf(pipeline string, txn harness.TxnRef) (id history.Identity, found bool, err error) {
	l, err := f.layout(pipeline)
	if err != nil {
		return id, false, err
	}
	for p := range int32(f.record.Plan.Partitions) {
		_, _, err := observation.ReadFile(observation.File(f.dir, l.Output, p), false, func(b *observation.Batch) error {
			for i := range b.Records {
				r := &b.Records[i]
				if r.Status == observation.Output && r.Worker == txn.By.Worker && r.Incarnation == txn.By.Incarnation && r.Txn == txn.Ordinal {
					id, found = r.Identity, true
					return errFound
				}
			}
			return nil
		})
		if found {
			return id, true, nil
		}
		if err != nil && !missingFile(err) {
			return id, false, err
		}
	}
	return id, false, nil
}

// pick keeps the first anomalies, each record once.
func pick(all []harness.Anomaly, most int) []harness.Anomaly {
	var picked []harness.Anomaly
	type once struct {
		pipeline string
		harness.RecordRef
	}
	seen := map[once]bool{}
	for _, a := range all {
		if len(picked) == most {
			break
		}
		if key := (once{a.Pipeline, *a.Record}); !seen[key] {
			seen[key] = true
			picked = append(picked, a)
		}
	}
	return picked
}
