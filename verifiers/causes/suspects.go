package causes

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Suspect is one transaction that is not proved to have left just what was confirmed of it.
type Suspect struct {
	txns.Key
	*saved.Txn
	worker *saved.Worker
	// Log counts its records by output partition.
	Log map[int32]*txns.Tally
}

// String names the transaction for people.
func (s *Suspect) String() string {
	return fmt.Sprintf("transaction %d of %s (incarnation %d)", s.Ordinal, s.worker.Name, s.Number)
}

// Refused reports whether nothing of the transaction may be visible: its commit failed, or it was never asked for. A history that
// is not whole proves nothing by what it does not say.
func (s *Suspect) Refused() bool { return s.Txn.Refused() || s.worker.Whole && s.unasked() }

// Untold reports whether the transaction's commit may have been asked for in a part of the history that is missing.
func (s *Suspect) Untold() bool { return !s.worker.Whole && s.unasked() }

// unasked reports whether the history holds no request to commit the transaction.
func (s *Suspect) unasked() bool { return !s.AskedCommit && !s.Aborted() }

// TxnRef names a transaction as its worker numbered it and as the brokers know it, with what each says became of it.
func TxnRef(row *rows.Row, s *Suspect) *harness.TxnRef {
	by := saved.IncarnationRef(s.worker)
	ref := &harness.TxnRef{By: &by, Ordinal: s.Ordinal, ProducerID: -1, ProducerEpoch: -1, Outcome: s.OutcomeText(), Decided: s.Decided()}
	if ids := row.Layout.TransactionalIDs; int(s.Worker) < len(ids) {
		ref.TransactionalID = ids[s.Worker]
	}
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		ref.ProducerID, ref.ProducerEpoch = s.Log[p].Producer, int32(s.Log[p].Epoch)
	}
	return ref
}

// Decided is what became of a transaction by the log: what its control records say, if they all say the same.
func (s *Suspect) Decided() string {
	var sum txns.Tally
	for _, f := range s.Log {
		sum.Visible += f.Visible
		sum.Aborted += f.Aborted
		sum.Hidden += f.Hidden
	}
	switch {
	case sum.Visible > 0 && sum.Aborted > 0:
		return "committed and aborted"
	case sum.Visible > 0:
		return "committed"
	case sum.Aborted > 0:
		return "aborted"
	case sum.Hidden > 0:
		return "open"
	}
	return "nothing of it"
}

// LookIntoSuspects finds the blocks whose history and log don't agree, or don't say how they end, gathers their transactions,
// and shows each by worker, incarnation and ordinal. It returns how many outputs of committed transactions are not in the log.
func LookIntoSuspects(row *rows.Row, show func(*rows.Row, *Suspect)) (Gone, error) {
	gone := Gone{}
	all := suspectBlocks(row)
	for len(all) > 0 {
		n := min(len(all), row.Run.Pieces.Blocks)
		found, err := gatherTxns(row, all[:n])
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			gone.count(row, s)
			show(row, s)
		}
		all = all[n:]
	}
	return gone, nil
}

// Gone counts, by output partition, outputs of transactions whose commit was confirmed that are not in the log at all.
type Gone map[int32]uint64

func (g Gone) count(row *rows.Row, s *Suspect) {
	if !s.Committed() {
		return
	}
	for p, confirmed := range s.Confirmed {
		if there := s.Log[p].Stored(); confirmed > there && row.Out.Whole(p) {
			g[p] += confirmed - there
		}
	}
}

// suspectBlocks compares the sums. A log's transactions of an incarnation without a history contradict nothing.
func suspectBlocks(row *rows.Row) []txns.Block {
	found := map[txns.Block]bool{}
	for _, w := range row.Workers {
		maps.Copy(found, w.Sums.Suspects)
		for b, sum := range w.Sums.ByBlock {
			if row.Out.Sums.ByBlock[b] != sum {
				found[b] = true
			}
		}
	}
	for b, sum := range row.Out.Sums.ByBlock {
		if w := row.Worker(b.Incarnation); w != nil && (w.Sums.ByBlock[b] != sum || row.Out.Sums.Suspects[b]) {
			found[b] = true
		}
	}
	return txns.SortedBlocks(found)
}

// gatherTxns reads histories and logs again for the transactions of some blocks.
func gatherTxns(row *rows.Row, wanted []txns.Block) ([]*Suspect, error) {
	in := map[txns.Block]bool{}
	for _, b := range wanted {
		in[b] = true
	}
	found := map[txns.Key]*Suspect{}
	for _, w := range row.Workers {
		if !slices.ContainsFunc(wanted, func(b txns.Block) bool { return b.Incarnation == w.Incarnation }) {
			continue
		}
		if err := gatherFromHistory(row, w, in, found); err != nil {
			return nil, err
		}
	}
	if err := gatherFromLogs(row, in, found); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Suspect) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Ordinal, b.Ordinal))
	}), nil
}

func gatherFromHistory(row *rows.Row, w *saved.Worker, in map[txns.Block]bool, found map[txns.Key]*Suspect) error {
	again := saved.NewWorker(w.Incarnation, w.Name, nil)
	again.Only, again.Effects = in, w.Effects
	_, err := history.Scan(filepath.Join(row.Run.Dir, w.File), func(entry history.Entry) error {
		again.Add(entry)
		return nil
	})
	again.Close()
	for ordinal, t := range again.Open {
		if ordinal != 0 && in[txns.BlockOf(w.Incarnation, ordinal)] {
			key := txns.Key{Incarnation: w.Incarnation, Ordinal: ordinal}
			found[key] = &Suspect{Key: key, Txn: t, worker: w, Log: map[int32]*txns.Tally{}}
		}
	}
	return err
}

func gatherFromLogs(row *rows.Row, in map[txns.Block]bool, found map[txns.Key]*Suspect) error {
	if !row.OutputsInTransactions() {
		return nil
	}
	tallies := make([]map[txns.Key]*txns.Tally, len(row.Out.Parts))
	err := together.AtMost(runtime.GOMAXPROCS(0), len(row.Out.Parts), func(i int) error {
		tallies[i] = map[txns.Key]*txns.Tally{}
		return row.Out.Each(row.Out.Parts[i], func(x *logs.Section) bool { return x.HoldsTxn(in) }, func(b *logs.Batch) {
			for j := range b.Pieces {
				p := &b.Pieces[j]
				first := &p.Span.First
				key := txns.Key{Incarnation: txns.Of(first.Worker, first.Incarnation), Ordinal: first.Txn}
				if p.Kind > logs.Unmatched || found[key] == nil || !in[txns.BlockOf(key.Incarnation, key.Ordinal)] {
					continue
				}
				t := tallies[i][key]
				if t == nil {
					t = &txns.Tally{}
					tallies[i][key] = t
				}
				t.Add(b.Decided, uint64(p.Count))
				t.Producer, t.Epoch = b.ProducerID, b.ProducerEpoch
			}
		})
	})
	for i, of := range tallies {
		for key, t := range of {
			found[key].Log[row.Out.Parts[i].Number] = t
		}
	}
	return err
}
