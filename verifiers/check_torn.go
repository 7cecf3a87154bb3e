package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// checkTorn counts transactions of which some confirmed outputs, or the offset commit, took effect and others did not.
func checkTorn(e *evidence, n *harness.Numbers) []finding {
	if !e.layout.Transactional || e.layout.ProducerOnly {
		return nil
	}
	var torn uint64
	var first string
	last := e.lastOffsets()
	for _, w := range e.workers {
		for _, ordinal := range w.ordinals() {
			took, missed := e.effects(txnKey{w.life, ordinal}, w.txns[ordinal], last)
			if took == "" || missed == "" {
				continue
			}
			torn++
			if first == "" {
				first = fmt.Sprintf("transaction %d of %s (incarnation %d): %s, but %s", ordinal, w.name, w.Incarnation, took, missed)
			}
		}
	}
	n.Torn = &torn
	if torn == 0 {
		return nil
	}
	return breaks(onlyExactly, "%s transactions took effect in part, e.g. %s", number(torn), first)
}

// effects says what of a transaction took effect, and what did not.
func (e *evidence) effects(key txnKey, t *txn, last map[int32]int) (took, missed string) {
	log := e.out.txns[key]
	for _, p := range partitionsOf(log) {
		if f := log[p]; f.visible > 0 {
			took = fmt.Sprintf("%d outputs in %s/%d are visible", f.visible, e.layout.Output, p)
		}
		if f := log[p]; f.aborted > 0 {
			missed = fmt.Sprintf("%d outputs in %s/%d are aborted", f.aborted, e.layout.Output, p)
		}
	}
	for _, p := range partitionsOf(t.confirmed) {
		if there := log[p].present(); there < t.confirmed[p] && e.out.whole(p) {
			missed = fmt.Sprintf("%d of %d outputs in %s/%d are not", t.confirmed[p]-there, t.confirmed[p], e.layout.Output, p)
		}
	}
	if !e.haveFinal {
		return took, missed
	}
	for _, o := range t.offsets {
		final := e.final[o.Partition]
		switch {
		case final < o.Offset && missed == "":
			missed = fmt.Sprintf("position %d of input partition %d is not committed", o.Offset, o.Partition)
		case final == o.Offset && last[o.Partition] == 1 && took == "":
			took = fmt.Sprintf("position %d of input partition %d is committed", o.Offset, o.Partition)
		}
	}
	return took, missed
}

// lastOffsets counts, by input partition, the transactions that would have committed just the final position: only a
// single one is proof of whose it is.
func (e *evidence) lastOffsets() map[int32]int {
	last := map[int32]int{}
	for _, w := range e.workers {
		for _, t := range w.txns {
			for _, o := range t.offsets {
				if e.final[o.Partition] == o.Offset {
					last[o.Partition]++
				}
			}
		}
	}
	return last
}
