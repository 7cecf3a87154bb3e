package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/results/page"
	"github.com/chaeos/chaeos/verifiers/explain"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

const (
	// markersDrawn is how many anomalies of a kind and pipeline a page marks.
	markersDrawn = 5000
	// livesCarried is how many records' lives a page carries, and livesBytes how much text that may be. The other markers
	// name the command that prints theirs.
	livesCarried, livesBytes = 300, 1 << 20
)

// marking is one anomaly on its way into the page.
type marking struct {
	harness.Anomaly
	at history.Time
	// record is its record, as source/sequence ("" it is about a transaction that left none).
	record string
	detail *page.Detail
}

func (m *marking) identity() history.Identity {
	return history.Identity{Source: m.Record.Source, Sequence: m.Record.Sequence}
}

// pageMarkers places every anomaly that the report keeps at the moment in which its record was handed to the source's
// client, by pipeline. A transaction is placed by its first record, and at its begin where the log holds none.
func pageMarkers(report *harness.Report, dir string, a axis) (map[string][]page.Marked, error) {
	kinds, err := placed(report.Anomalies, dir)
	if err != nil {
		return nil, err
	}
	if err := carryLives(kinds, dir); err != nil {
		return nil, err
	}
	out := map[string][]page.Marked{}
	for _, of := range kinds {
		pipeline, kind := of[0].Pipeline, of[0].Kind
		marked := page.Marked{Kind: string(kind), Total: max(uint64(len(of)), totalOf(report, pipeline, kind)), Details: map[int]page.Detail{}}
		for i, m := range of {
			marked.At = append(marked.At, a.at(m.at))
			marked.Records = append(marked.Records, m.record)
			if m.detail != nil {
				marked.Details[i] = page.Detail{Text: results.Short(m.detail.Text, report.Run), Life: results.Short(m.detail.Life, report.Run)}
			}
		}
		out[pipeline] = append(out[pipeline], marked)
	}
	return out, nil
}

// placed groups anomalies by pipeline and kind, in the order of their times. Those without a time are left out.
func placed(all []harness.Anomaly, dir string) ([][]*marking, error) {
	marks, err := atRecords(all, dir)
	if err != nil {
		return nil, err
	}
	bare, err := atTransactions(all, dir, marks)
	if err != nil {
		return nil, err
	}
	type group struct {
		pipeline string
		kind     harness.AnomalyKind
	}
	var kinds [][]*marking
	place := map[group]int{}
	for _, m := range append(marks, bare...) {
		g := group{m.Pipeline, m.Kind}
		if _, ok := place[g]; !ok {
			place[g] = len(kinds)
			kinds = append(kinds, nil)
		}
		kinds[place[g]] = append(kinds[place[g]], m)
	}
	for _, of := range kinds {
		slices.SortStableFunc(of, func(a, b *marking) int { return cmp.Compare(a.at, b.at) })
	}
	return kinds, nil
}

// atRecords marks what has a record that a source offered.
func atRecords(all []harness.Anomaly, dir string) ([]*marking, error) {
	named, err := explain.Records(dir, all)
	if err != nil {
		return nil, err
	}
	var ids []history.Identity
	for _, x := range named {
		ids = append(ids, history.Identity{Source: x.Record.Source, Sequence: x.Record.Sequence})
	}
	offered, err := timeline.Offered(dir, ids)
	if err != nil {
		return nil, err
	}
	var marks []*marking
	for _, x := range named {
		m := &marking{Anomaly: x, record: fmt.Sprintf("%d/%d", x.Record.Source, x.Record.Sequence)}
		if at, known := offered[m.identity()]; known {
			m.at = at
			marks = append(marks, m)
		}
	}
	return marks, nil
}

// atTransactions marks the transactions that left no record.
func atTransactions(all []harness.Anomaly, dir string, marked []*marking) ([]*marking, error) {
	type key struct {
		timeline.Txn
		kind harness.AnomalyKind
	}
	known := map[key]bool{}
	for _, m := range marked {
		if t, ok := txnOf(m.Anomaly); ok {
			known[key{t, m.Kind}] = true
		}
	}
	var bare []*marking
	var txns []timeline.Txn
	for _, x := range all {
		if t, ok := txnOf(x); ok && x.Record == nil && !known[key{t, x.Kind}] {
			bare = append(bare, &marking{Anomaly: x, detail: &page.Detail{Text: x.Text}})
			txns = append(txns, t)
		}
	}
	begun, err := timeline.Begun(dir, txns)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(bare, func(m *marking) bool {
		t, _ := txnOf(m.Anomaly)
		m.at = begun[t]
		return m.at == 0
	}), nil
}

func txnOf(x harness.Anomaly) (t timeline.Txn, ok bool) {
	if x.Txn == nil || x.Txn.By == nil {
		return t, false
	}
	return timeline.Txn{Pipeline: x.Pipeline, Worker: x.Txn.By.Worker, Incarnation: x.Txn.By.Incarnation, Ordinal: x.Txn.Ordinal}, true
}

// carryLives fills in as many lives as a page may carry: each kind gets its share, spread over its time.
func carryLives(kinds [][]*marking, dir string) error {
	var chosen []*marking
	var wanted []explain.Wanted
	var known []harness.Anomaly
	for _, of := range kinds {
		for _, m := range of {
			known = append(known, m.Anomaly)
		}
		for _, m := range spread(slices.DeleteFunc(slices.Clone(of), func(m *marking) bool { return m.record == "" }), livesCarried/len(kinds)) {
			chosen = append(chosen, m)
			wanted = append(wanted, explain.Wanted{Ref: explain.Ref{Identity: m.identity()}, Pipeline: m.Pipeline})
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	lives, err := explain.Many(dir, wanted, known)
	if err != nil {
		return err
	}
	left := livesBytes
	for i, life := range lives {
		var b bytes.Buffer
		if err := results.Life(&b, life); err != nil {
			return err
		}
		if left -= b.Len(); left < 0 {
			return nil
		}
		chosen[i].detail = &page.Detail{Text: chosen[i].Text, Life: b.String()}
	}
	return nil
}

// spread picks at most n of a list, at equal distances, the first and the last among them.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	var some []T
	for i := range n {
		some = append(some, all[i*(len(all)-1)/max(1, n-1)])
	}
	return some
}

// totalOf is the figure that counts a kind of anomalies, in what the kind counts.
func totalOf(report *harness.Report, pipeline string, kind harness.AnomalyKind) uint64 {
	for _, row := range report.Rows {
		if row.Pipeline != pipeline {
			continue
		}
		switch n := row.Numbers; kind {
		case harness.AnomalyDuplicate:
			return n.Count("duplicatedInputs")
		case harness.AnomalyLost:
			return n.Count("lost")
		case harness.AnomalyPhantom:
			return n.Count("phantom")
		case harness.AnomalyHidden:
			return n.Count("hidden")
		case harness.AnomalyUnprocessed:
			return n.Count("unprocessed")
		case harness.AnomalyAckedAbsent:
			return n.Count("ackedAbsent")
		}
	}
	return 0 // the others are counted by records, and marked by transactions
}
