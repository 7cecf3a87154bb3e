package verifiers

import (
	"slices"
	"testing"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
	"pgregory.net/rapid"
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

// SaveForked saves a run in which a follower holds other records at 10 offsets of out-transactional/1, from one on.
func SaveForked(t testing.TB, offset int64) (dir string) {
	t.Helper()
	w := newWorld(records)
	w.replica("out-"+txnName, 1, forked(offset, 10))
	return w.save(t)
}

// SaveRedelivered saves a run in which a share group's member was killed with records in hand that another was handed then.
func SaveRedelivered(t testing.TB) (dir string) {
	t.Helper()
	w := shareWorld(records)
	f := w.hist(shareName + "-0")
	f.entries, f.noEnd, f.record.Killed = f.entries[:len(f.entries)-2], true, true
	w.again(at(5000))
	return w.save(t)
}

// SaveStalled saves a run in which a successor's new session ended the transaction that a last stable offset stood still
// at, while a broker was dead.
func SaveStalled(t testing.TB) (dir string) {
	t.Helper()
	w := stallWorld()
	w.fault(900, 2000)
	w.abort(neverAsked)
	w.addHist("transactional-0.2", "worker", txnName, 0, 2).add(&history.ProducerInit{Stamp: history.At(at(2460)), Asked: at(2440), TransactionalID: "t-0"})
	return w.save(t)
}

// SaveEffects saves a run whose transactional row has effects, each accepted when its record was scheduled: 604's, in
// partition 1, a second time at 2.9 s, by a call in another transaction. Without times it is a run of a version that kept none.
func SaveEffects(t testing.TB, times bool) (dir string) {
	t.Helper()
	w := ofEffects()
	l := w.log("out-"+txnName, 1)
	again := cloneBatch(l.batches[20])
	again.Records = output(&observation.Batch{Records: w.log(inTopic, 1).batches[20].Records[1:2]}, 1, txns.Of(0, 1), 9000, 99)
	l.append(again)
	if times {
		for _, b := range l.batches {
			b.MaxTimestamp = w.record.Started.Add(b.Records[0].Scheduled.Sub(baseTime)).UnixMilli()
		}
		again.MaxTimestamp = w.record.Started.Add(2900 * time.Millisecond).UnixMilli()
	}
	return w.save(t)
}

// SaveDrawn saves a drawn world: the same number is always the same world.
func SaveDrawn(t testing.TB, i int) string { return rapid.Custom(drawnWorld).Example(i).save(t) }
