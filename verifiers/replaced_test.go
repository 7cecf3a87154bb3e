package verifiers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// forget takes a batch of the source under test out of a log: what follows moves up. It returns what acknowledged it.
func (w *world) forget(partition int32, batch int) *history.AckSpan {
	l := w.log("out-"+srcName, partition)
	first := l.batches[batch].Records[0].Sequence
	l.batches = slices.Delete(l.batches, batch, batch+1)
	l.renumber()
	l.resequence(l.batches[0].ProducerID)
	for _, e := range w.hist("source-acks1").entries {
		acked, is := e.(*history.Acked)
		if !is {
			continue
		}
		for i := range acked.Spans {
			if s := &acked.Spans[i]; s.Partition == partition && s.First == first {
				return s
			}
		}
	}
	return nil
}

// TestPlaceThatALaterRecordHas: where the record at an acknowledged offset was sent after the acknowledgement, the acknowledged
// one was cut off, whatever samples show. One that was sent before proves nothing.
func TestPlaceThatALaterRecordHas(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(w *world)
		cause string
		says  string
	}{
		"a later record":  {func(w *world) { w.forget(1, 50) }, "truncated", "before leader epoch 0 wrote there (a later record in its place)"},
		"an older record": {func(w *world) { w.forget(1, 99).Offset = 0 }, "acked but absent", "acked at out-acks1/1 offset 0 (now held by"},
		"an older leader that came back": {func(w *world) {
			w.forget(1, 55).Offset = 500
			for _, b := range w.log("out-"+srcName, 1).batches {
				if b.First >= 600 {
					b.LeaderEpoch = 2
				}
			}
			acked := at(56 * parts * perBatch)
			for _, e := range w.hist("observer-samples").entries {
				s, is := e.(*history.Sample)
				switch {
				case !is || s.Topic != "out-"+srcName || s.Partition != 1 || s.At < acked.Add(-600e6):
				case s.At < acked.Add(600e6):
					s.LeaderEpoch = 1
				default:
					s.LeaderEpoch = 2
				}
			}
		}, "truncated", "between leader epochs 1 and 2 (acknowledgement)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(records)
			c.do(w)
			report := w.judge(t)
			row := rowOf(t, report, srcName)
			require.Equal(t, map[string]uint64{c.cause: perBatch}, figuresOf(row.Numbers).LostBy, reasons(row))
			var texts []string
			for _, a := range report.Anomalies {
				if a.Kind == harness.AnomalyLost {
					require.Equal(t, c.cause, a.Cause)
					texts = append(texts, a.Text)
				}
			}
			require.Len(t, texts, perBatch)
			require.Contains(t, texts[0], c.says)
		})
	}
}
