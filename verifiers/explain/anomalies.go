package explain

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Anomalies tells the lives of the first most anomalies of each kind that the verifier keeps (harness.MaxAnomalies of a
// kind and pipeline), in its order: by pipeline, then by offset in the log. A record is listed once a kind, a torn transaction
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
	var wanted []Wanted
	for _, kind := range kinds {
		all, err := f.records(of(report.Anomalies, kind, pipeline))
		if err != nil {
			return nil, err
		}
		for _, a := range pick(all, most) {
			wanted = append(wanted, Wanted{Ref{Identity: history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}}, a.Pipeline})
		}
	}
	return f.tell(wanted, report.Anomalies)
}

// of are the anomalies of a kind, of one pipeline or ("") of all.
func of(all []harness.Anomaly, kind harness.AnomalyKind, pipeline string) []harness.Anomaly {
	return slices.DeleteFunc(slices.Clone(all), func(a harness.Anomaly) bool {
		return a.Kind != kind || pipeline != "" && pipeline != a.Pipeline
	})
}

// Records names anomalies by the records that they are about, and leaves out those that have none. One that is about a
// transaction is named by the transaction's first record in the output log.
func Records(dir string, all []harness.Anomaly) ([]harness.Anomaly, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	return f.records(all)
}

func (f *folder) records(all []harness.Anomaly) ([]harness.Anomaly, error) {
	wanted := map[string]map[txnKey]*harness.RecordRef{}
	for _, a := range all {
		if key, ok := txnOf(a); ok {
			if wanted[a.Pipeline] == nil {
				wanted[a.Pipeline] = map[txnKey]*harness.RecordRef{}
			}
			wanted[a.Pipeline][key] = nil
		}
	}
	for pipeline, first := range wanted {
		if err := f.firsts(pipeline, first); err != nil {
			return nil, err
		}
	}
	var named []harness.Anomaly
	for _, a := range all {
		if key, ok := txnOf(a); ok {
			a.Record = wanted[a.Pipeline][key]
		}
		if a.Record != nil {
			named = append(named, a)
		}
	}
	return named, nil
}

// txnKey is a transaction as its worker numbered it.
type txnKey struct {
	worker      uint16
	incarnation uint32
	ordinal     uint64
}

// txnOf is the transaction that stands for an anomaly's record.
func txnOf(a harness.Anomaly) (key txnKey, ok bool) {
	if a.Record != nil || a.Txn == nil || a.Txn.By == nil {
		return key, false
	}
	return txnKey{a.Txn.By.Worker, a.Txn.By.Incarnation, a.Txn.Ordinal}, true
}

// firsts looks for the first outputs of transactions, partition by partition.
func (f *folder) firsts(pipeline string, first map[txnKey]*harness.RecordRef) error {
	l, err := f.layout(pipeline)
	if err != nil {
		return err
	}
	left := len(first)
	for n := range int32(f.record.Plan.Partitions * len(l.Outputs())) {
		topic, p := l.Place(n, f.record.Plan.Partitions)
		_, _, err := observation.ReadFile(observation.File(f.dir, topic, p), false, func(b *observation.Batch) error {
			for i := range b.Records {
				r := &b.Records[i]
				at := txnKey{r.Worker, r.Incarnation, r.Txn}
				if known, asked := first[at]; !asked || known != nil || r.Status != observation.Output {
					continue
				}
				first[at] = &harness.RecordRef{Source: r.Source, Sequence: r.Sequence, Partition: -1, Offset: -1}
				if left--; left == 0 {
					return errFound
				}
			}
			return nil
		})
		if left == 0 {
			return nil
		}
		if err != nil && !missingFile(err) {
			return err
		}
	}
	return nil
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
		key := once{a.Pipeline, *a.Record}
		key.Output = "" // a life tells of all topics
		if !seen[key] {
			seen[key] = true
			picked = append(picked, a)
		}
	}
	return picked
}
