package verifiers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// requireDoubt requires that a row's claim is neither held nor violated.
func requireDoubt(t *testing.T, r *harness.Report, name, why string) {
	t.Helper()
	row := rowOf(t, r, name)
	require.Equal(t, harness.Inconclusive.String(), row.Delivered, why+"\n"+reasons(row))
	require.Equal(t, 4, r.Exit, why)
}

// TestCutHistoryProvesNothing: wherever a worker's history ends too early, its row is in doubt, whatever says how long it was.
func TestCutHistoryProvesNothing(t *testing.T) {
	for _, name := range []string{txnName, plainName} {
		entries := len(newWorld(60).hist(name + "-0").entries)
		for n := range entries + 1 {
			w := newWorld(60)
			f := w.hist(name + "-0")
			f.entries, f.noEnd = f.entries[:n], true
			requireDoubt(t, w.judge(t), name, fmt.Sprintf("%s cut after %d of %d entries", name, n, entries))
		}
	}
}

// TestCutBytesProveNothing: the same in the middle of entries, also of a worker that was killed: more of its history is known to have been.
func TestCutBytesProveNothing(t *testing.T) {
	for _, killed := range []bool{false, true} {
		for n := int64(1); n < 300; n += 7 {
			w := newWorld(30)
			f := w.hist(txnName + "-0")
			f.record.Killed, f.noEnd = killed, killed
			w.cut[f.record.File] = n
			requireDoubt(t, w.judge(t), txnName, fmt.Sprintf("%d bytes lost, killed %v", n, killed))
		}
	}
}

// TestUnknownOffset: a committed offset that the read-back does not give is unknown, not 0.
func TestUnknownOffset(t *testing.T) {
	for p := range parts {
		for _, name := range []string{txnName, plainName} {
			w := newWorld(90)
			w.tweak = func(x *observation.Index) {
				x.Positions = slices.DeleteFunc(x.Positions, func(o observation.Position) bool {
					return o.Partition == int32(p) && o.Group == map[string]string{txnName: "g-txn", plainName: "g-plain"}[name]
				})
			}
			r := w.judge(t)
			requireDoubt(t, r, name, "unknown offset")
			require.Zero(t, rowOf(t, r, name).Numbers.Count("torn"))
			require.Zero(t, rowOf(t, r, name).Numbers.Count("offsetsWentBack"))
		}
	}
}

// TestDeletedOffsets: offsets that were deleted in the end had been committed: no transaction is torn by that.
func TestDeletedOffsets(t *testing.T) {
	for p := range parts {
		w := newWorld(90)
		w.tweak = func(x *observation.Index) {
			for i := range x.Positions {
				if o := &x.Positions[i]; o.Partition == int32(p) && o.Group == "g-txn" {
					o.Offset = -1
				}
			}
		}
		row := rowOf(t, w.judge(t), txnName)
		require.Zero(t, row.Numbers.Count("torn"), reasons(row))
		require.NotEqual(t, harness.Violated, row.Verdict(harness.ExactlyOnce), reasons(row))
		require.EqualValues(t, 1, row.Numbers.Count("offsetsWentBack"))
	}
}

// TestSilenceIsDoubt: what is missing together with its entry makes a run inconclusive.
func TestSilenceIsDoubt(t *testing.T) {
	for _, missing := range []string{txnName + "-0", plainName + "-0", "observer-live", "observer-samples", "source-input"} {
		w := newWorld(90)
		w.order = slices.DeleteFunc(w.order, func(name string) bool { return name == missing })
		require.Equal(t, 4, w.judge(t).Exit, missing)
	}
	w := newWorld(90)
	w.record.Plan = harness.TopicPlan{}
	require.Equal(t, 4, w.judge(t).Exit, "no plan")
}

// TestWorkerWithoutHistory: one worker's outputs are in the log, another left the only history.
func TestWorkerWithoutHistory(t *testing.T) {
	for _, name := range []string{txnName, plainName} {
		w := newWorld(90)
		w.order = slices.DeleteFunc(w.order, func(file string) bool { return file == name+"-0" })
		w.addHist(name+"-1", "worker", name, 1, 1)
		row := rowOf(t, w.judge(t), name)
		require.Equal(t, harness.Inconclusive.String(), row.Delivered, reasons(row))
		require.Contains(t, reasons(row), "left no history")
	}
}
