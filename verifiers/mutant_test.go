package verifiers_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// savedRun is a saved run on disk and in memory, and what it is judged to be as it was saved.
type savedRun struct {
	dir   string
	base  *harness.Report
	files map[string][]byte
	// held are the rows that hold what they claim: only of them can a mutation take something.
	held []harness.PipelineLayout
	plan harness.TopicPlan
}

// mutant is a saved run while one mutation changes it: what it takes hold of is written again.
type mutant struct {
	t   *testing.T
	run *savedRun
	*rand.Rand
	// row is the row that is mutated; input means that its input is, which is every row's.
	row    harness.PipelineLayout
	input  bool
	record harness.RunRecord
	index  observation.Index
	logs   []*mutatedLog
	hists  []*mutatedHistory
	// gone are files that the mutation removes.
	gone []string
}

// mutatedLog is one partition's log. Its index entry is made to agree with it.
type mutatedLog struct {
	header  observation.Header
	path    string
	batches []*observation.Batch
	index   *observation.Partition
}

// mutatedHistory is one process' history. Its record is made to agree with its size.
type mutatedHistory struct {
	record  *harness.HistoryRecord
	process history.Process
	entries []history.Entry
	// open means that the file ends without its End.
	open bool
}

func loadSaved(t *testing.T, packed string) *savedRun {
	t.Helper()
	r := &savedRun{dir: t.TempDir(), files: map[string][]byte{}}
	unpack(t, packed, r.dir)
	require.NoError(t, filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		r.files[path], err = os.ReadFile(path)
		return err
	}))
	base, err := verifiers.Judge(r.dir)
	require.NoError(t, err)
	record, err := harness.LoadRecord(r.dir)
	require.NoError(t, err)
	r.base, r.plan = base, record.Plan
	for _, layout := range record.Plan.Pipelines {
		if row := rowNamed(base, layout.Name); row.Verdict(row.Claims) == harness.Held {
			r.held = append(r.held, layout)
		}
	}
	return r
}

func rowNamed(report *harness.Report, name string) harness.Row {
	i := slices.IndexFunc(report.Rows, func(r harness.Row) bool { return r.Pipeline == name })
	return report.Rows[i]
}

func (r *savedRun) mutant(t *testing.T, seed uint64) *mutant {
	m := &mutant{t: t, run: r, Rand: rand.New(rand.NewPCG(seed, 14))}
	m.row = pick(m, r.held)
	require.NoError(t, json.Unmarshal(r.files[filepath.Join(r.dir, harness.RecordFile)], &m.record))
	require.NoError(t, json.Unmarshal(r.files[filepath.Join(r.dir, observation.Folder, observation.IndexFile)], &m.index))
	return m
}

// pick takes one of several at random.
func pick[T any](m *mutant, all []T) T { return all[m.IntN(len(all))] }

// log takes hold of one partition's log.
func (m *mutant) log(topic string, partition int32) *mutatedLog {
	l := &mutatedLog{path: observation.File(m.run.dir, topic, partition), index: m.index.Partition(topic, partition)}
	header, _, err := observation.ReadFile(l.path, false, func(b *observation.Batch) error {
		kept := *b
		kept.Records = slices.Clone(b.Records)
		l.batches = append(l.batches, &kept)
		return nil
	})
	require.NoError(m.t, err)
	l.header = header
	m.logs = append(m.logs, l)
	return l
}

// anyLog takes hold of a log of the row: of its output, or of its input.
func (m *mutant) anyLog() *mutatedLog {
	p := int32(m.IntN(m.record.Plan.Partitions))
	if m.input = !m.row.ProducerOnly && m.IntN(3) == 0; m.input {
		return m.log(m.record.Plan.Input, p)
	}
	return m.output(p)
}

func (m *mutant) output(p int32) *mutatedLog { return m.log(pick(m, m.row.Outputs()), p) }

// anyOutput takes hold of a log of the row's output.
func (m *mutant) anyOutput() *mutatedLog { return m.output(int32(m.IntN(m.record.Plan.Partitions))) }

// history takes hold of one process' history among those that fit; nil if none does.
func (m *mutant) history(fits func(harness.HistoryRecord) bool) *mutatedHistory {
	var those []*harness.HistoryRecord
	for i := range m.record.Histories {
		if fits(m.record.Histories[i]) {
			those = append(those, &m.record.Histories[i])
		}
	}
	if len(those) == 0 {
		return nil
	}
	h := &mutatedHistory{record: pick(m, those), open: true}
	_, err := history.ReadFile(filepath.Join(m.run.dir, h.record.File), func(e history.Entry) error {
		switch e := e.(type) {
		case *history.Process:
			h.process = *e
		case *history.End:
			h.open = false
		default:
			h.entries = append(h.entries, e)
		}
		return nil
	})
	require.NoError(m.t, err)
	m.hists = append(m.hists, h)
	return h
}

// worker takes hold of the history of one of the row's workers, source of its source's, observer of one of the observer's.
func (m *mutant) worker() *mutatedHistory {
	return m.history(func(h harness.HistoryRecord) bool { return h.Role == "worker" && h.Pipeline == m.row.Name })
}

func (m *mutant) source() *mutatedHistory {
	return m.history(func(h harness.HistoryRecord) bool { return h.Role == "source" && h.Number == int(m.row.Source) })
}

func (m *mutant) observer(name string) *mutatedHistory {
	return m.history(func(h harness.HistoryRecord) bool { return h.Process == name })
}

// judge writes what was taken hold of, judges the run, and puts it back as it was.
func (m *mutant) judge() *harness.Report {
	m.t.Helper()
	var touched []string
	for _, l := range m.logs {
		l.write(m.t)
		touched = append(touched, l.path)
	}
	for _, h := range m.hists {
		path := filepath.Join(m.run.dir, h.record.File)
		h.write(m.t, path)
		touched = append(touched, path)
	}
	for _, path := range m.gone {
		require.NoError(m.t, os.Remove(path))
		touched = append(touched, path)
	}
	record, index := filepath.Join(m.run.dir, harness.RecordFile), filepath.Join(m.run.dir, observation.Folder, observation.IndexFile)
	writeJSON(m.t, record, &m.record)
	writeJSON(m.t, index, &m.index)
	report, err := verifiers.Judge(m.run.dir)
	for _, path := range append(touched, record, index) {
		require.NoError(m.t, os.WriteFile(path, m.run.files[path], 0o644))
	}
	if err != nil {
		return &harness.Report{Exit: 1, Inconclusive: []string{err.Error()}} // refused: nothing is held
	}
	return report
}

func writeJSON(t *testing.T, path string, v any) {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o644))
}

func (h *mutatedHistory) write(t *testing.T, path string) {
	require.NoError(t, os.Remove(path))
	out, err := history.Create(path, h.process)
	require.NoError(t, err)
	for part := range slices.Chunk(h.entries, 512) {
		require.NoError(t, out.Write(part...))
	}
	if !h.open {
		require.NoError(t, out.Write(&history.End{Stamp: history.At(h.process.At)}))
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	h.record.Bytes = info.Size()
}

func (l *mutatedLog) write(t *testing.T) {
	out, err := observation.Create(l.path, l.header)
	require.NoError(t, err)
	var txns observation.Transactions
	end := l.index.LogStart
	for _, b := range l.batches {
		require.NoError(t, out.Write(b))
		txns.Add(b)
		end = b.Last + 1
	}
	l.index.Batches, l.index.Records = out.Totals()
	require.NoError(t, out.Close())
	l.index.Reached = end
	count := l.committed(&txns)
	l.index.Committed.Count = count
	if len(l.index.Checked) == 0 {
		l.index.Client.Count = count
	}
}

// committed counts what a read_committed reader is given.
func (l *mutatedLog) committed(txns *observation.Transactions) (n uint64) {
	stable := l.index.LSO
	if open := txns.Open(); len(open) > 0 {
		stable = min(stable, open[0].Start)
	}
	aborts := observation.NewAborts(txns.Aborted())
	for _, b := range l.batches {
		if !b.Control && !b.Damaged && b.First < stable && !aborts.Has(b) {
			n += uint64(len(b.Records))
		}
	}
	return n
}

// dataBatches lists the batches with records that are at least n.
func (l *mutatedLog) dataBatches(n int) (all []*observation.Batch) {
	for _, b := range l.batches {
		if !b.Control && !b.Damaged && len(b.Records) >= n {
			all = append(all, b)
		}
	}
	return all
}

// visible lists the batches that a read_committed reader is given.
func (l *mutatedLog) visible() (all []*observation.Batch) {
	var txns observation.Transactions
	for _, b := range l.batches {
		txns.Add(b)
	}
	aborts := observation.NewAborts(txns.Aborted())
	for _, b := range l.dataBatches(1) {
		if !aborts.Has(b) && b.First < l.index.LSO {
			all = append(all, b)
		}
	}
	return all
}

// renumber lets offsets follow one another again, and ends the log where they do.
func (l *mutatedLog) renumber() {
	at := l.index.LogStart
	for _, b := range l.batches {
		size := b.Last - b.First
		if !b.Control && !b.Damaged {
			size = int64(len(b.Records)) - 1
		}
		for i := range b.Records {
			b.Records[i].Offset = at + int64(i)
		}
		b.First, b.Last = at, at+size
		at += size + 1
	}
	l.endAt(at)
}

// endAt moves the captured ends, and all that says where the log ends.
func (l *mutatedLog) endAt(end int64) {
	x := l.index
	x.HW, x.LSO = end, end
	if x.HWAfter >= 0 {
		x.HWAfter = end
	}
	if x.LSOAfter >= 0 {
		x.LSOAfter = end
	}
	var txns observation.Transactions
	for _, b := range l.batches {
		txns.Add(b)
	}
	x.BrokerAborted = nil
	for _, a := range txns.Aborted() {
		a.Last = -1
		x.BrokerAborted = append(x.BrokerAborted, a)
	}
}
