package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// TestFanOutCleanRun: each input counts once for each topic, and a clean run says nothing.
func TestFanOutCleanRun(t *testing.T) {
	w := fanWorld(records)
	w.fault(1000, 2000)
	report := w.judge(t)
	require.Zero(t, report.Exit, asJSON(t, report))
	row := rowOf(t, report, fanName)
	require.Empty(t, reasons(row))
	n := figuresOf(row.Numbers)
	require.EqualValues(t, 2*records, n.Input)
	require.EqualValues(t, 2*records, n.Unique)
	require.Zero(t, n.Duplicates+n.Lost+n.Hidden+n.Unprocessed+n.NeverLive)
	require.Zero(t, *n.Split)
	require.Zero(t, *n.Torn)
	require.Nil(t, figuresOf(rowOf(t, report, txnName).Numbers).Split, "a row with one topic has nothing to split")
}

// TestTornAcrossTopics: a transaction that one topic's markers commit and the other's abort is torn, and what the other
// topic lacks is lost there.
func TestTornAcrossTopics(t *testing.T) {
	w := fanWorld(records)
	for p := range int32(parts) {
		w.log("out-"+fanName+"-2", p).batches[2*7-1].Marker = observation.MarkerAbort
	}
	report := w.judge(t)
	row := rowOf(t, report, fanName)
	require.Equal(t, harness.Violated, row.Verdict(harness.ExactlyOnce))
	n := figuresOf(row.Numbers)
	require.EqualValues(t, 1, *n.Torn)
	require.EqualValues(t, parts*perBatch, n.Lost)
	require.Equal(t, map[string]uint64{"aborted": parts * perBatch}, n.LostBy)
	require.EqualValues(t, parts*perBatch, *n.Split)
	require.Equal(t, n.Input, n.Unique+n.Lost)
	require.Contains(t, reasons(row), "transaction 7 of fan-out-0 (incarnation 1): 10 outputs in out-fan-out/2 are visible, but 10 of 10 outputs in out-fan-out-2/2 are not")
	for _, a := range report.Anomalies {
		if a.Kind == harness.AnomalyLost {
			require.Equal(t, "out-fan-out-2", a.Record.Output)
			require.Contains(t, a.Text, " in out-fan-out-2, its output was in transaction 7 of fan-out-0")
		}
	}
}

// TestCopyInOneTopicTwice: what one topic has twice is a duplicate there, whatever the other has.
func TestCopyInOneTopicTwice(t *testing.T) {
	w := fanWorld(records)
	l := w.log("out-"+fanName+"-2", 1)
	rec := l.batches[8].Records[3]
	rec.Incarnation++
	l.append(&observation.Batch{ProducerID: 999, Records: []observation.Record{rec}})
	row := rowOf(t, w.judge(t), fanName)
	require.EqualValues(t, 1, figuresOf(row.Numbers).Duplicates)
	require.EqualValues(t, 1, figuresOf(row.Numbers).DuplicatedInputs)
	require.Zero(t, *figuresOf(row.Numbers).Split)
	require.Contains(t, reasons(row), "in out-fan-out-2 at out-fan-out-2/1 offset")
}

// TestHiddenInOneTopicIsNotSplit: an open transaction's records may still come.
func TestHiddenInOneTopicIsNotSplit(t *testing.T) {
	w := fanWorld(records)
	for p := range int32(parts) {
		l := w.log("out-"+fanName+"-2", p)
		l.batches = l.batches[:len(l.batches)-1]
		l.next--
	}
	row := rowOf(t, w.judge(t), fanName)
	require.EqualValues(t, parts*perBatch, figuresOf(row.Numbers).Hidden)
	require.Zero(t, *figuresOf(row.Numbers).Split)
}
