package verifiers

import (
	"slices"
	"testing"

	"github.com/chaeos/chaeos/harness/history"
)

// SavePlanted saves the clean run with one planted fault in it ("" none), for tests outside this package.
func SavePlanted(t testing.TB, name string) (dir string) {
	t.Helper()
	w := newWorld(records)
	for _, c := range slices.Concat(plantedFaults, uncommittedFaults) {
		if c.name == name {
			c.do(w)
			return w.save(t)
		}
	}
	if name != "" {
		t.Fatalf("no planted fault %q", name)
	}
	return w.save(t)
}

// SaveStalled saves a run in which a successor's new session ended the transaction that a last stable offset stood still
// at, while a broker was dead.
func SaveStalled(t testing.TB) (dir string) {
	t.Helper()
	w := stallWorld()
	w.fault(900, 2000)
	w.abort(neverAsked)
	w.addHist("transactional-0.2", "worker", txnName, 0, 2).add(&history.ProducerInit{At: at(2460), Asked: at(2440), TransactionalID: "t-0"})
	return w.save(t)
}
