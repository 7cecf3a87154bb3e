package causes

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/parallel"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// suspect is one transaction that is not proved to have left just what was confirmed of it.
type Suspect struct {
	txns.Key
	*saved.Txn
	worker *saved.Worker
	// log counts its records by output partition.
	Log map[int32]*txns.Tally
}

// String names the transaction for people.
func (s *Suspect) String() string {
	return fmt.Sprintf("transaction %d of %s (incarnation %d)", s.Ordinal, s.worker.Name, s.Number)
}

// txnRef names a transaction as its worker numbered it and as the brokers know it, with what each says became of it.
func TxnRef(e *rows.Row, s *Suspect) *harness.TxnRef {
	by := saved.IncarnationRef(s.worker)
	ref := &harness.TxnRef{By: &by, Ordinal: s.Ordinal, ProducerID: -1, ProducerEpoch: -1, Outcome: s.OutcomeText(), Decided: s.Decided()}
	if ids := e.Layout.TransactionalIDs; int(s.Worker) < len(ids) {
		ref.TransactionalID = ids[s.Worker]
	}
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		ref.ProducerID, ref.ProducerEpoch = s.Log[p].Producer, int32(s.Log[p].Epoch)
	}
	return ref
}

// decided is what the log says became of a transaction: what its control records say, where they all say the same.
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

// lookIntoSuspects finds the blocks whose history and log don't agree, or don't say how they end, gathers their
// transactions, and shows each to the transaction checks: by worker, incarnation and ordinal.
func LookIntoSuspects(e *rows.Row, show func(*rows.Row, *Suspect)) error {
	all := suspectBlocks(e)
	for len(all) > 0 {
		n := min(len(all), e.Run.Pieces.Blocks)
		found, err := gatherTxns(e, all[:n])
		if err != nil {
			return err
		}
		for _, s := range found {
			show(e, s)
		}
		all = all[n:]
	}
	return nil
}

// suspectBlocks compares the sums; a log's transactions of a life without a history are nobody's word against it.
func suspectBlocks(e *rows.Row) []txns.Block {
	found := map[txns.Block]bool{}
	for _, w := range e.Workers {
		maps.Copy(found, w.Sums.Suspects)
		for b, sum := range w.Sums.ByBlock {
			if e.Out.Sums.ByBlock[b] != sum {
				found[b] = true
			}
		}
	}
	for b, sum := range e.Out.Sums.ByBlock {
		if w := e.Worker(b.Incarnation); w != nil && (w.Sums.ByBlock[b] != sum || e.Out.Sums.Suspects[b]) {
			found[b] = true
		}
	}
	return txns.SortedBlocks(found)
}

// gatherTxns reads histories and logs again for the transactions of some blocks.
func gatherTxns(e *rows.Row, wanted []txns.Block) ([]*Suspect, error) {
	in := map[txns.Block]bool{}
	for _, b := range wanted {
		in[b] = true
	}
	found := map[txns.Key]*Suspect{}
	for _, w := range e.Workers {
		if !slices.ContainsFunc(wanted, func(b txns.Block) bool { return b.Incarnation == w.Incarnation }) {
			continue
		}
		if err := gatherFromHistory(e, w, in, found); err != nil {
			return nil, err
		}
	}
	if err := gatherFromLogs(e, in, found); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Suspect) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Ordinal, b.Ordinal))
	}), nil
}

func gatherFromHistory(e *rows.Row, w *saved.Worker, in map[txns.Block]bool, found map[txns.Key]*Suspect) error {
	again := saved.NewWorker(w.Incarnation, w.Name, nil)
	again.Only, again.Effects = in, w.Effects
	_, err := history.Scan(filepath.Join(e.Run.Dir, w.File), func(entry history.Entry) error {
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

func gatherFromLogs(e *rows.Row, in map[txns.Block]bool, found map[txns.Key]*Suspect) error {
	fates := make([]map[txns.Key]*txns.Tally, len(e.Out.Parts))
	err := parallel.Do(len(e.Out.Parts), func(i int) error {
		log := e.Out.Parts[i]
		fates[i] = map[txns.Key]*txns.Tally{}
		if log.Idle {
			return nil
		}
		o := logs.NewReader(e.Run, e.In, e.Layout, log)
		var current *observation.Batch
		o.Transaction = func(key txns.Key, decided txns.Visibility, n uint64) {
			if found[key] == nil || !in[txns.BlockOf(key.Incarnation, key.Ordinal)] {
				return
			}
			f := fates[i][key]
			if f == nil {
				f = &txns.Tally{}
				fates[i][key] = f
			}
			f.Add(decided, n)
			f.Producer, f.Epoch = current.ProducerID, current.ProducerEpoch
		}
		return log.ReadWhere(func(x *logs.Section) bool { return x.HoldsTxn(in) }, func(b *observation.Batch) {
			current = b
			o.Batch(b)
		})
	})
	for i, of := range fates {
		for key, f := range of {
			found[key].Log[e.Out.Parts[i].Number] = f
		}
	}
	return err
}
