package verifiers

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// suspectsAtOnce bounds how many blocks of transactions are looked into in one pass over histories and logs; more take
// another pass, so that counts stay exact in bounded memory. Tests make it small.
var suspectsAtOnce = 128

// suspect is one transaction that is not proved to have left just what was confirmed of it.
type suspect struct {
	txnKey
	*txn
	worker *worker
	// log counts its records by output partition.
	log map[int32]*fate
}

// String names the transaction for people.
func (s *suspect) String() string {
	return fmt.Sprintf("transaction %d of %s (incarnation %d)", s.ordinal, s.worker.name, s.Incarnation)
}

// txnRef names a transaction as its worker numbered it and as the brokers know it, with what each says became of it.
func txnRef(e *row, s *suspect) *harness.TxnRef {
	by := lifeOf(s.worker)
	ref := &harness.TxnRef{By: &by, Ordinal: s.ordinal, ProducerID: -1, ProducerEpoch: -1, Outcome: s.outcomeText(), Decided: s.decided()}
	if ids := e.layout.TransactionalIDs; int(s.Worker) < len(ids) {
		ref.TransactionalID = ids[s.Worker]
	}
	for _, p := range slices.Sorted(maps.Keys(s.log)) {
		ref.ProducerID, ref.ProducerEpoch = s.log[p].producer, int32(s.log[p].epoch)
	}
	return ref
}

// decided is what the log says became of a transaction: what its control records say, where they all say the same.
func (s *suspect) decided() string {
	var sum fate
	for _, f := range s.log {
		sum.visible += f.visible
		sum.aborted += f.aborted
		sum.hidden += f.hidden
	}
	switch {
	case sum.visible > 0 && sum.aborted > 0:
		return "committed and aborted"
	case sum.visible > 0:
		return "committed"
	case sum.aborted > 0:
		return "aborted"
	case sum.hidden > 0:
		return "open"
	}
	return "nothing of it"
}

// lookIntoSuspects finds the blocks whose history and log don't agree, or don't say how they end, gathers their
// transactions, and shows each to the transaction checks: by worker, incarnation and ordinal.
func lookIntoSuspects(e *row, show func(*row, *suspect)) error {
	all := suspectBlocks(e)
	for len(all) > 0 {
		n := min(len(all), suspectsAtOnce)
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
func suspectBlocks(e *row) []block {
	found := map[block]bool{}
	for _, w := range e.workers {
		maps.Copy(found, w.blocks.suspects)
		for b, sum := range w.blocks.sums {
			if e.out.blocks.sums[b] != sum {
				found[b] = true
			}
		}
	}
	for b, sum := range e.out.blocks.sums {
		if w := e.worker(b.life); w != nil && (w.blocks.sums[b] != sum || e.out.blocks.suspects[b]) {
			found[b] = true
		}
	}
	return sortedBlocks(found)
}

// gatherTxns reads histories and logs again for the transactions of some blocks.
func gatherTxns(e *row, wanted []block) ([]*suspect, error) {
	in := map[block]bool{}
	for _, b := range wanted {
		in[b] = true
	}
	found := map[txnKey]*suspect{}
	for _, w := range e.workers {
		if !slices.ContainsFunc(wanted, func(b block) bool { return b.life == w.life }) {
			continue
		}
		if err := gatherFromHistory(e, w, in, found); err != nil {
			return nil, err
		}
	}
	if err := gatherFromLogs(e, in, found); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *suspect) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.ordinal, b.ordinal))
	}), nil
}

func gatherFromHistory(e *row, w *worker, in map[block]bool, found map[txnKey]*suspect) error {
	again := newWorker(w.life, w.name, nil)
	again.only, again.effects = in, w.effects
	_, err := history.Scan(filepath.Join(e.run.dir, w.file), func(entry history.Entry) error {
		again.add(entry)
		return nil
	})
	again.close()
	for ordinal, t := range again.open {
		if ordinal != 0 && in[blockOf(w.life, ordinal)] {
			key := txnKey{w.life, ordinal}
			found[key] = &suspect{txnKey: key, txn: t, worker: w, log: map[int32]*fate{}}
		}
	}
	return err
}

func gatherFromLogs(e *row, in map[block]bool, found map[txnKey]*suspect) error {
	fates := make([]map[txnKey]*fate, len(e.out.parts))
	err := parallel(len(e.out.parts), func(i int) error {
		log := e.out.parts[i]
		fates[i] = map[txnKey]*fate{}
		if log.idle {
			return nil
		}
		o := newOutputReader(e.run, e.in, e.layout, log)
		var current *observation.Batch
		o.txnSeen = func(key txnKey, decided visibility, n uint64) {
			if found[key] == nil || !in[blockOf(key.life, key.ordinal)] {
				return
			}
			f := fates[i][key]
			if f == nil {
				f = &fate{}
				fates[i][key] = f
			}
			f.add(decided, n)
			f.producer, f.epoch = current.ProducerID, current.ProducerEpoch
		}
		return log.readWhere(func(x *stretch) bool { return x.holdsTxn(in) }, func(b *observation.Batch) {
			current = b
			o.batch(b)
		})
	})
	for i, of := range fates {
		for key, f := range of {
			found[key].log[e.out.parts[i].number] = f
		}
	}
	return err
}
