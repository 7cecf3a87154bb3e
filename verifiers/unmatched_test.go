package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// copyElsewhere writes a second copy of one record of partition 1, whose origin is a number of offsets further.
func (w *world) copyElsewhere(pipeline string, by int64) {
	l := w.log("out-"+pipeline, 1)
	rec := l.batches[40].Records[3]
	rec.Origin.Offset += by
	rec.Processing += 100_000
	l.append(&observation.Batch{ProducerID: 900, Records: []observation.Record{rec}})
}

// loseLastInput takes the last batch of input partition 1 away; its outputs are there.
func (w *world) loseLastInput() {
	w.extra = w.positions()
	l := w.log(inTopic, 1)
	l.batches, l.next = l.batches[:99], l.batches[99].First
}

// TestUnmatched plants outputs that name no input, one condition each.
func TestUnmatched(t *testing.T) {
	for _, c := range []struct {
		name              string
		row               string
		do                func(w *world)
		unmatched, second uint64
		exactly           harness.Verdict
		says              string
	}{
		{"a copy one offset further", txnName, func(w *world) { w.copyElsewhere(txnName, 1) }, 1, 1, harness.Violated, "1 records are visible again in outputs that name another input"},
		{"a copy one offset back", txnName, func(w *world) { w.copyElsewhere(txnName, -1) }, 1, 1, harness.Violated, ""},
		{"a copy far beyond the input's end", txnName, func(w *world) { w.copyElsewhere(txnName, 5000) }, 1, 1, harness.Violated, ""},
		{"a copy before the input's start", txnName, func(w *world) { w.copyElsewhere(txnName, -5000) }, 1, 1, harness.Violated, ""},
		{"two copies that name other inputs", txnName, func(w *world) { w.copyElsewhere(txnName, 1); w.copyElsewhere(txnName, 2) }, 2, 2, harness.Violated, ""},
		{"an only copy that names another input", txnName, func(w *world) {
			b := w.log("out-"+txnName, 1).batches[80]
			b.Records[3].Origin.Offset += 100
		}, 1, 0, harness.Violated, "1 of 3,000 committed inputs have no visible output"},
		{"inputs that are gone without a word", txnName, (*world).loseLastInput, 10, 0, harness.Inconclusive, "and no recorded truncation or deletion explains all of them"},
		{"inputs that samples show as truncated", txnName, func(w *world) {
			w.loseLastInput()
			w.hist("observer-samples").add(&history.Sample{Stamp: history.At(at(3000)), Topic: inTopic, Partition: 1, Broker: 1, LSO: 1000, HW: 1000})
		}, 10, 0, harness.Held, "10 outputs name an input that is not, or no longer, where they say in the input log"},
		{"inputs that a recorded fault cut off", txnName, func(w *world) {
			w.loseLastInput()
			w.lasting(harness.Lasting{What: harness.LogWasCut, Topic: inTopic, Partition: 1, From: 1000, To: 990})
		}, 10, 0, harness.Held, ""},
		{"a fault that cut another partition off", txnName, func(w *world) {
			w.loseLastInput()
			w.lasting(harness.Lasting{What: harness.LogWasCut, Topic: inTopic, Partition: 0, From: 1000, To: 990})
		}, 10, 0, harness.Inconclusive, ""},
		{"a copy of one of those", txnName, func(w *world) {
			w.loseLastInput()
			w.lasting(harness.Lasting{What: harness.LogWasCut, Topic: inTopic, Partition: 1, From: 1000, To: 990})
			l := w.log("out-"+txnName, 1)
			rec := l.batches[198].Records[3]
			rec.Origin.Offset++
			l.append(&observation.Batch{ProducerID: 900, Records: []observation.Record{rec}})
		}, 11, 1, harness.Violated, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(records)
			c.do(w)
			row := rowOf(t, w.judge(t), c.row)
			require.Equal(t, c.unmatched, row.Numbers.Count("unmatched"), reasons(row))
			require.Equal(t, c.second, row.Numbers.Count("secondCopies"), reasons(row))
			require.Equal(t, c.exactly, row.Verdict(harness.ExactlyOnce), reasons(row))
			require.Contains(t, reasons(row), c.says)
		})
	}
}
