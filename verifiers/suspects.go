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

// txnSums are what the checks of single transactions found.
type txnSums struct {
	abortedSeen, notSeen, torn, contradicted, phantom, unknown txnSum
	unknownHappened                                            uint64
	// gone counts, by partition, outputs of committed transactions that are not in the log.
	gone map[int32]uint64
}

// txnSum is a count with its first examples.
type txnSum struct {
	n         uint64
	anomalies []harness.Anomaly
}

// add counts n things of one transaction, which example puts in words.
func (s *txnSum) add(e *evidence, kind harness.AnomalyKind, x *suspect, n uint64, example func() string) {
	if s.n += n; n > 0 && len(s.anomalies) < e.run.most {
		s.anomalies = append(s.anomalies, harness.Anomaly{Kind: kind, Txn: e.txnRef(x), Text: example()})
	}
}

// first is the first example ("" none).
func (s *txnSum) first() string {
	if len(s.anomalies) == 0 {
		return ""
	}
	return s.anomalies[0].Text
}

// txnRef names a transaction as its worker numbered it and as the brokers know it, with what each says became of it.
func (e *evidence) txnRef(s *suspect) *harness.TxnRef {
	by := lifeOf(s.worker)
	ref := &harness.TxnRef{By: &by, Ordinal: s.ordinal, ProducerID: -1, ProducerEpoch: -1, Outcome: s.outcomeText(), Decided: s.decided()}
	if ids := e.layout.TransactionalIDs; int(s.Worker) < len(ids) {
		ref.TransactionalID = ids[s.Worker]
	}
	for _, p := range partitionsOf(s.log) {
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

// txnChecks look at one transaction each time. A new one is a function and a line here; what it finds is reported by its
// check from the row's txnSums.
var txnChecks = []func(*evidence, *suspect){
	abortedSeen,
	committedNotSeen,
	torn,
	phantomTxn,
	unknownTxn,
	goneTxn,
	contradicted,
}

// lookIntoSuspects finds the blocks whose history and log don't agree, or don't say how they end, gathers their
// transactions, and shows each to the transaction checks: by worker, incarnation and ordinal.
func (e *evidence) lookIntoSuspects() error {
	all := e.suspectBlocks()
	for len(all) > 0 {
		n := min(len(all), suspectsAtOnce)
		found, err := e.gatherTxns(all[:n])
		if err != nil {
			return err
		}
		for _, s := range found {
			for _, check := range txnChecks {
				check(e, s)
			}
		}
		all = all[n:]
	}
	return nil
}

// suspectBlocks compares the sums; a log's transactions of a life without a history are nobody's word against it.
func (e *evidence) suspectBlocks() []block {
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
func (e *evidence) gatherTxns(wanted []block) ([]*suspect, error) {
	in := map[block]bool{}
	for _, b := range wanted {
		in[b] = true
	}
	found := map[txnKey]*suspect{}
	for _, w := range e.workers {
		if !slices.ContainsFunc(wanted, func(b block) bool { return b.life == w.life }) {
			continue
		}
		if err := e.gatherFromHistory(w, in, found); err != nil {
			return nil, err
		}
	}
	if err := e.gatherFromLogs(in, found); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *suspect) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.ordinal, b.ordinal))
	}), nil
}

func (e *evidence) gatherFromHistory(w *worker, in map[block]bool, found map[txnKey]*suspect) error {
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

func (e *evidence) gatherFromLogs(in map[block]bool, found map[txnKey]*suspect) error {
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
