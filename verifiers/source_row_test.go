package verifiers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// loseInput takes all records but the first batch's out of an input partition, as if its log had been cut off there.
func (w *world) loseInput(partition int32) (lost uint64) {
	l := w.log(inTopic, partition)
	for _, b := range l.batches[1:] {
		lost += uint64(len(b.Records))
	}
	l.batches, l.next = l.batches[:1], l.batches[0].Last+1
	return lost
}

// sourceCases are what may be wrong with the shared input, and what its source's row says of it ("" no row).
var sourceCases = []struct {
	name    string
	do      func(w *world)
	numbers map[string]uint64
	says    string
	exit    int
}{
	{"a clean run", func(*world) {}, nil, "", 0},
	{"a log cut off after its first batch", func(w *world) { w.loseInput(0) }, numbersOf("lost", records/parts-perBatch, "unique", records-records/parts+perBatch),
		"990 of 3,000 acknowledged records are not in the log (acked but absent 990)", 3},
	{"one record", func(w *world) { w.log(inTopic, 1).batches[99].Records = w.log(inTopic, 1).batches[99].Records[:9] },
		numbersOf("lost", 1), "1 of 3,000 acknowledged records are not in the log", 3},
	{"what a recorded fault deleted", func(w *world) {
		w.shortInput()
		w.fault(1000, 2000).Lasting = []harness.Lasting{{What: harness.LogStartMoved, Topic: inTopic, Partition: 1, To: 100}}
	}, nil, "", 0},
	{"what was deleted, and one more", func(w *world) {
		w.shortInput()
		w.fault(1000, 2000).Lasting = []harness.Lasting{{What: harness.LogStartMoved, Topic: inTopic, Partition: 1, To: 100}}
		l := w.log(inTopic, 2)
		l.dropRecord(l.batches[99], 9)
	}, numbersOf("lost", 101), "101 of 3,000 acknowledged records are not in the log (acked but absent 1, deleted 100)", 3},
	{"a batch stored twice", func(w *world) {
		l := w.log(inTopic, 1)
		b := *l.batches[99]
		b.Records = slices.Clone(b.Records)
		l.append(&b)
	}, numbersOf("storedTwice", perBatch, "duplicates", perBatch), "in/1: 10 records are stored twice under one producer id", 3},
	{"two records swapped", func(w *world) {
		b := w.log(inTopic, 1).batches[40]
		b.Records[3].Identity, b.Records[4].Identity = b.Records[4].Identity, b.Records[3].Identity
	}, numbersOf("outOfOrder", 1), "in/1: 1 records come after one that the same producer sent later", 3},
	{"a log that was not read to its end", func(w *world) {
		w.tweak = func(x *observation.Index) {
			p := x.Partition(inTopic, 1)
			p.HW, p.HWAfter, p.Complete = p.HW+1, p.HW+1, false
		}
	}, map[string]uint64{}, "", 4},
}

func numbersOf(pairs ...any) map[string]uint64 {
	all := map[string]uint64{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i].(string)] = uint64(pairs[i+1].(int))
	}
	return all
}

// TestSourceRow: the shared source has a row where its claims did not hold, with exact counts, and it decides the run.
func TestSourceRow(t *testing.T) {
	for _, c := range sourceCases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(records)
			c.do(w)
			report := w.judge(t)
			require.Equal(t, c.exit, report.Exit, report.Why)
			i := slices.IndexFunc(report.Rows, func(r harness.Row) bool { return r.Pipeline == harness.SourceRow })
			if c.numbers == nil {
				require.Negative(t, i, asJSON(t, report))
				return
			}
			require.GreaterOrEqual(t, i, 0)
			row := report.Rows[i]
			require.Contains(t, reasons(row), c.says)
			for key, n := range c.numbers {
				require.Equal(t, n, row.Numbers.Count(key), key)
			}
		})
	}
}

// TestExpectedOfTheSource: an experiment may expect that the source's promise is broken, as of any row.
func TestExpectedOfTheSource(t *testing.T) {
	for _, c := range []struct {
		expect harness.Expectation
		lose   bool
		exit   int
	}{
		{harness.MayBreak, true, 0}, {harness.MayBreak, false, 0}, {harness.MustBreak, true, 0}, {harness.MustBreak, false, 4}, {harness.MustHold, true, 3}, {harness.MustHold, false, 0},
	} {
		w := newWorld(records)
		w.record.Expect = map[string]map[harness.Guarantee]harness.Expectation{
			harness.SourceRow: {harness.AtLeastOnce: c.expect},
			plainName:         {harness.AtLeastOnce: harness.MayBreak}, txnName: {harness.ExactlyOnce: harness.MayBreak},
		}
		if c.lose {
			w.loseInput(0)
		}
		report := w.judge(t)
		require.Equal(t, c.exit, report.Exit, "%v: %s", c, report.Why)
		require.Equal(t, harness.SourceRow, report.Rows[len(report.Rows)-1].Pipeline, "a row that is expected is always shown")
	}
}
