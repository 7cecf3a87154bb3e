package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// hungry is a counting that is fed everything there is.
type hungry struct {
	in, out          []*recordCount
	delivered, polls uint64
	workers          map[string]int
	transactions     []uint64
	set              string
}

type recordCount struct{ records, markers, fresh uint64 }

func (c *recordCount) Batch(b *logs.Batch) {
	if b.Control {
		c.markers++
	}
	for i := range b.Pieces {
		c.records += uint64(b.Pieces[i].Count)
		if b.Pieces[i].Fresh {
			c.fresh += uint64(b.Pieces[i].Count)
		}
	}
}

func (h *hungry) Output(*logs.Partition) logs.Reader { return count(&h.out) }

func (h *hungry) Input(*logs.Partition) logs.Reader { return count(&h.in) }

func count(of *[]*recordCount) logs.Reader {
	c := &recordCount{}
	*of = append(*of, c)
	return c
}

func (h *hungry) Transaction(_ *rows.Row, s *causes.Suspect) {
	h.transactions = append(h.transactions, s.Ordinal)
}

func (h *hungry) Poll(r *rows.Row, p *kit.Poll) {
	if h.delivered += p.New; r.Out.Visible.Len() > 0 { // the logs are read by then
		h.polls++
	}
}

func (h *hungry) Entry(_ *rows.Row, w *saved.Worker, e history.Entry) {
	if _, is := e.(*history.Polled); is {
		h.workers[w.Name]++
	}
}

func (h *hungry) Finish(_ *kit.Facts, n *harness.Numbers) []kit.Finding {
	if h.set != "" {
		n.Set(h.set, 1)
	}
	return nil
}

func beginning(h *hungry) kit.Check {
	h.workers = map[string]int{}
	return kit.Check{Name: "hungry", Begin: func(*rows.Subject) kit.Counting { return h }}
}

// TestChecksAreFed: a check is shown every record of its row's logs, the live reader's polls, its workers' histories, and the
// transactions that are not proved right.
func TestChecksAreFed(t *testing.T) {
	w := newWorld(records)
	w.log("out-"+txnName, 1).batches[3].Marker = 1
	h := &hungry{}
	_, set := factsIn(t, w, txnName, beginning(h))
	require.Len(t, h.in, parts)
	require.Len(t, h.out, parts)
	var in, out recordCount
	for p := range parts {
		in.records += h.in[p].records
		out.records, out.fresh, out.markers = out.records+h.out[p].records, out.fresh+h.out[p].fresh, out.markers+h.out[p].markers
	}
	require.EqualValues(t, records, in.records)
	require.EqualValues(t, records, out.records)
	require.EqualValues(t, records-perBatch, out.fresh, "but for one transaction's in one partition")
	require.NotZero(t, out.markers)
	require.EqualValues(t, records, h.delivered)
	require.NotZero(t, h.polls)
	require.Len(t, h.workers, 1)
	require.NotZero(t, h.workers[txnName+"-0"])
	require.NotEmpty(t, h.transactions)
	require.True(t, set.Finish(&kit.Facts{})[0].Ran)
}

// TestSourceUnderTestReadsNoInput: no check of a source under test is shown the input log, which is not the source's.
func TestSourceUnderTestReadsNoInput(t *testing.T) {
	h := &hungry{}
	factsIn(t, newWorld(records), srcName, beginning(h))
	require.Empty(t, h.in)
	require.Len(t, h.out, parts)
	require.Empty(t, h.workers)
}

// TestChecksSetTheirOwnNumbers: a number that a check sets and does not declare is an error of its own.
func TestChecksSetTheirOwnNumbers(t *testing.T) {
	h := &hungry{set: "lost"}
	f, set := factsIn(t, newWorld(90), plainName, beginning(h))
	o := set.Finish(f)[0]
	require.Len(t, o.Found, 1)
	require.True(t, o.Found[0].Internal)
	require.Contains(t, o.Found[0].Text, "lost")
}
