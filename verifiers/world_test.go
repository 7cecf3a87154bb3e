package verifiers

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// The world is a clean run in memory, made so that every number is known: tests change one thing and save it.
const (
	parts     = 3
	perBatch  = 10
	baseTime  = history.Time(1_000_000_000_000)
	runName   = "world"
	inTopic   = "in"
	txnName   = "transactional"
	plainName = "idempotent"
	srcName   = "acks1"
	// fanName is the row with two output topics, in worlds that ask for it.
	fanName = "fan-out"
)

type world struct {
	record *harness.RunRecord
	logs   map[ask.TopicPartition]*topicLog
	files  map[string]*histFile
	order  []string
	// tweak changes the index after it was derived from the logs.
	tweak func(*observation.Index)
	// cut shortens files after they were written, by name.
	cut   map[string]int64
	extra []observation.Position
	// deleted are the log starts that moved.
	deleted map[ask.TopicPartition]int64
	// showed are further entries of the observer's.
	showed []history.Entry
	// placed are the live reader's polls that placePolls places.
	placed map[*history.DeliveredLive]bool
	// saved is the index as it was saved last.
	saved *observation.Index
}

type topicLog struct {
	batches []*observation.Batch
	next    int64
	seq     map[int64]int32
}

type histFile struct {
	record  harness.HistoryRecord
	process history.Process
	entries []history.Entry
	noEnd   bool
}

func (l *topicLog) append(b *observation.Batch) *observation.Batch {
	b.First = l.next
	for i := range b.Records {
		b.Records[i].Offset = l.next + int64(i)
	}
	n := max(1, len(b.Records))
	b.Last = b.First + int64(n) - 1
	b.Count = int32(n)
	l.next = b.Last + 1
	if b.BaseSequence == 0 && b.ProducerID > 0 && !b.Control {
		of := b.ProducerID<<16 | int64(b.ProducerEpoch) // each epoch begins at 0
		b.BaseSequence = l.seq[of]
		l.seq[of] += int32(n)
	}
	switch {
	case b.Control:
		b.BaseSequence = -1
	case b.ProducerID < 0:
		b.BaseSequence = 0 // as franz-go writes it, although there is no sequence
	}
	l.batches = append(l.batches, b)
	return b
}

// renumber gives every batch and record its place again after one was taken out or put in.
func (l *topicLog) renumber() {
	l.next = 0
	for _, b := range l.batches {
		b.First = l.next
		for i := range b.Records {
			b.Records[i].Offset = l.next + int64(i)
		}
		b.Last = b.First + int64(max(1, len(b.Records))) - 1
		b.Count = int32(b.Last - b.First + 1)
		l.next = b.Last + 1
	}
}

// resequence gives the batches of a producer's only epoch their sequences again.
func (l *topicLog) resequence(producer int64) {
	next := int32(0)
	for _, b := range l.batches {
		if b.ProducerID == producer && !b.Control {
			b.BaseSequence = next
			next += int32(b.Last - b.First + 1)
		}
	}
}

// dropRecord takes one record out of the log, and leaves its offset empty.
func (l *topicLog) dropRecord(b *observation.Batch, i int) {
	b.Records = append(b.Records[:i:i], b.Records[i+1:]...)
}

func (w *world) log(topic string, p int32) *topicLog {
	return w.logs[ask.TopicPartition{Topic: topic, Partition: p}]
}

func (w *world) hist(name string) *histFile { return w.files[name] }

func (w *world) addHist(name, role, pipeline string, number, incarnation int) *histFile {
	f := &histFile{
		record:  harness.HistoryRecord{File: "history/" + name + ".hist", Process: name, Role: role, Pipeline: pipeline, Number: number, Incarnation: incarnation},
		process: history.Process{Stamp: history.At(baseTime), Run: w.record.RunID, Name: name, Role: role, Pipeline: pipeline, Number: uint16(number), Incarnation: uint32(incarnation), Pid: 1},
	}
	w.files[name] = f
	w.order = append(w.order, name)
	return f
}

func (f *histFile) add(e ...history.Entry) { f.entries = append(f.entries, e...) }

// at is the time at which the n-th sequence is scheduled: one a millisecond.
func at(n uint64) history.Time { return baseTime.Add(time.Duration(n) * time.Millisecond) }

// newWorld makes a clean run of n records a source (a multiple of parts*perBatch).
func newWorld(n uint64) *world { return makeWorld(n) }

// fanWorld is one with a row more, that writes to two topics.
func fanWorld(n uint64) *world { return makeWorld(n, fanLayout) }

var fanLayout = harness.PipelineLayout{
	PipelineInfo: harness.PipelineInfo{Name: fanName, Claims: harness.ExactlyOnce, Transactional: true, ReadCommitted: true, Topics: 2},
	Output:       "out-" + fanName, Further: []string{"out-" + fanName + "-2"}, Group: "g-fan",
}

func makeWorld(n uint64, more ...harness.PipelineLayout) *world {
	w := &world{
		record: &harness.RunRecord{
			Version: harness.RecordVersion, Name: runName, RunID: history.RunIDOf(runName), Experiment: "planted", Seed: 7,
			Started: time.Unix(1_800_000_000, 0).UTC(), Base: baseTime, LoadStart: baseTime, Bounds: harness.DefaultBounds(),
			Plan: harness.TopicPlan{Input: inTopic, Partitions: parts, MinISR: 2, Pipelines: []harness.PipelineLayout{
				{PipelineInfo: harness.PipelineInfo{Name: srcName, Claims: harness.AtLeastOnce, ProducerOnly: true}, Source: 1, Output: "out-" + srcName},
				{PipelineInfo: harness.PipelineInfo{Name: plainName, Claims: harness.AtLeastOnce}, Output: "out-" + plainName, Group: "g-plain"},
				{PipelineInfo: harness.PipelineInfo{Name: txnName, Claims: harness.ExactlyOnce, Transactional: true, ReadCommitted: true}, Output: "out-" + txnName, Group: "g-txn"},
			}},
			Cluster: harness.ClusterInfo{Provider: "local", Kafka: "4.3.1", Nodes: []int{1, 2, 3}},
		},
		logs: map[ask.TopicPartition]*topicLog{}, files: map[string]*histFile{}, cut: map[string]int64{}, deleted: map[ask.TopicPartition]int64{},
		placed: map[*history.DeliveredLive]bool{},
	}
	w.record.Plan.Pipelines = append(w.record.Plan.Pipelines, more...)
	for _, topic := range append(w.record.Plan.Outputs(), inTopic) {
		for p := range int32(parts) {
			w.logs[ask.TopicPartition{Topic: topic, Partition: p}] = &topicLog{seq: map[int64]int32{}}
		}
	}
	w.fillSource(0, inTopic, "source-input", "", 100, n)
	w.fillSource(1, "out-"+srcName, "source-acks1", srcName, 101, n)
	w.fillPlain()
	w.fillTxns(w.record.Plan.Pipelines[2])
	for _, l := range more {
		switch {
		case l.ProducerOnly && l.Transactional:
			w.fillSent(l, n)
		case l.Transactional:
			w.fillTxns(l)
		}
	}
	w.fillObserver(n)
	return w
}

func (w *world) fillSource(number uint16, topic, name, pipeline string, pid int64, n uint64) {
	f := w.addHist(name, "source", pipeline, int(number), 0)
	block := uint64(parts * perBatch)
	for first := uint64(0); first < n; first += block {
		f.add(&history.Intent{Stamp: history.At(at(first)), First: first, Count: block})
		acked := &history.Acked{Stamp: history.At(at(first + block))}
		for p := range uint64(parts) {
			l := w.log(topic, int32(p))
			b := &observation.Batch{ProducerID: pid}
			for i := range uint64(perBatch) {
				seq := first + p + i*parts
				b.Records = append(b.Records, observation.Record{Identity: history.Identity{Source: number, Sequence: seq}, Scheduled: at(seq)})
			}
			l.append(b)
			acked.Spans = append(acked.Spans, history.AckSpan{Partition: int32(p), SequenceSpan: history.SequenceSpan{First: first + p, Stride: parts, Count: perBatch}, Offset: b.First})
		}
		f.add(acked)
	}
}

// output makes the records that a worker writes for an input batch.
func output(in *observation.Batch, p int32, l txns.Incarnation, processing, txn uint64) []observation.Record {
	var out []observation.Record
	for i, r := range in.Records {
		out = append(out, observation.Record{
			Status: observation.Output, Identity: r.Identity, Scheduled: r.Scheduled,
			Origin: history.Origin{Partition: p, Offset: r.Offset, Worker: l.Worker, Incarnation: l.Number, Processing: processing + uint64(i), Txn: txn},
		})
	}
	return out
}

// polled is the delivery of one input batch.
func polled(in *observation.Batch, p int32, processing uint64) *history.Polled {
	return &history.Polled{Stamp: history.At(in.Records[0].Scheduled), Partition: p, From: in.First, To: in.Last + 1, Count: uint64(len(in.Records)), Processing: processing}
}

func (w *world) fillPlain() {
	f := w.addHist("idempotent-0", "worker", plainName, 0, 1)
	f.add(&history.Assigned{Stamp: history.At(baseTime), Generation: 1, Partitions: []int32{0, 1, 2}})
	processing := uint64(1)
	for p := range int32(parts) {
		l := w.log("out-"+plainName, p)
		for _, in := range w.log(inTopic, p).batches {
			f.add(polled(in, p, processing))
			l.append(&observation.Batch{ProducerID: 200, Records: output(in, p, txns.Of(0, 1), processing, 0)})
			processing += uint64(len(in.Records))
			offsets := []history.PartitionOffset{{Partition: p, Offset: in.Last + 1}}
			f.add(&history.Outputs{Stamp: history.At(in.Records[0].Scheduled), Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Partition: p, Count: uint64(len(in.Records))}}},
				&history.Committing{Stamp: history.At(in.Records[0].Scheduled), Offsets: offsets},
				&history.Committed{Stamp: history.At(in.Records[0].Scheduled), Outcome: history.OutcomeConfirmed, Offsets: offsets})
		}
	}
}

// fillTxns: one worker, one transaction for the i-th batch of every input partition.
func (w *world) fillTxns(layout harness.PipelineLayout) {
	f := w.addHist(layout.Name+"-0", "worker", layout.Name, 0, 1)
	f.add(&history.Assigned{Stamp: history.At(baseTime), Generation: 1, Partitions: []int32{0, 1, 2}})
	processing := uint64(1)
	for i := range w.log(inTopic, 0).batches {
		txn := uint64(i + 1)
		now := w.log(inTopic, 0).batches[i].Records[0].Scheduled
		f.add(&history.TxnBegin{Stamp: history.At(now), Txn: txn})
		outputs := &history.Outputs{Stamp: history.At(now), Txn: txn, Outcome: history.OutcomeConfirmed}
		var offsets []history.PartitionOffset
		for p := range int32(parts) {
			in := w.log(inTopic, p).batches[i]
			f.add(polled(in, p, processing))
			for t, topic := range layout.Outputs() {
				w.log(topic, p).append(&observation.Batch{ProducerID: 300, Transactional: true, Records: output(in, p, txns.Of(0, 1), processing, txn)})
				outputs.Counts = append(outputs.Counts, history.PartitionCount{Partition: int32(t*parts) + p, Count: uint64(len(in.Records))})
			}
			processing += uint64(len(in.Records))
			offsets = append(offsets, history.PartitionOffset{Partition: p, Offset: in.Last + 1})
		}
		f.add(outputs, &history.Committing{Stamp: history.At(now), Txn: txn, Offsets: offsets}, &history.Committed{Stamp: history.At(now), Txn: txn, Outcome: history.OutcomeConfirmed, Offsets: offsets},
			&history.TxnEnding{Stamp: history.At(now), Txn: txn, Commit: true}, &history.TxnEnded{Stamp: history.At(now), Txn: txn, Commit: true, Outcome: history.OutcomeConfirmed})
		for _, topic := range layout.Outputs() {
			for p := range int32(parts) {
				w.log(topic, p).append(marker(300, observation.MarkerCommit))
			}
		}
	}
}

func marker(pid int64, m observation.Marker) *observation.Batch {
	return &observation.Batch{ProducerID: pid, Transactional: true, Control: true, Marker: m}
}

func (w *world) fillObserver(n uint64) {
	live := w.addHist("observer-live", "harness", "", 0, 0)
	block := uint64(parts * perBatch)
	for _, layout := range w.record.Plan.Pipelines {
		for first := uint64(0); first < n; first += block {
			for number := range int32(parts * len(layout.Outputs())) {
				topic, p := layout.Place(number, parts)
				live.add(&history.DeliveredLive{Stamp: history.At(at(first + block + 20)), Topic: topic, Partition: p, Count: perBatch, New: perBatch})
			}
		}
		h := hdrhistogram.New(1000, int64(time.Hour), 3)
		_ = h.RecordValues(int64(20*time.Millisecond), int64(n)*int64(len(layout.Outputs())))
		hdr, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		live.add(&history.Latency{Stamp: history.At(at(n)), Pipeline: layout.Name, HDR: hdr})
	}
	slices.SortStableFunc(live.entries, func(a, b history.Entry) int { return cmp.Compare(timeOf(a), timeOf(b)) })
	samples := w.addHist("observer-samples", "harness", "", 0, 0)
	for t := uint64(0); t <= min(n, 60_000); t += 100 {
		for _, layout := range w.record.Plan.Pipelines {
			for number := range int32(parts * len(layout.Outputs())) {
				topic, p := layout.Place(number, parts)
				samples.add(&history.Sample{Stamp: history.At(at(t)), Topic: topic, Partition: p, Broker: 1, LeaderEpoch: 0, LSO: int64(t), HW: int64(t)})
			}
		}
	}
	// The sampler's watermarks must not prove a truncation: they follow the schedule, the logs are longer or empty.
	for _, e := range samples.entries {
		s := e.(*history.Sample)
		s.LSO = min(s.LSO, w.log(s.Topic, s.Partition).next)
		s.HW = s.LSO
	}
}

func timeOf(e history.Entry) history.Time {
	if s, ok := e.(*history.DeliveredLive); ok {
		return s.At
	}
	return e.(*history.Latency).At
}

// fault adds one that bit every row, between two moments.
func (w *world) fault(from, to uint64) *harness.FaultRecord {
	f := harness.FaultRecord{Fault: "broker-kill", Target: "leader of output/0", Injected: at(from), Healed: at(to), Resolved: harness.Resolved{Partitions: []int32{0}}}
	for _, l := range w.record.Plan.Pipelines {
		f.Proofs = append(f.Proofs, harness.Proof{Pipeline: l.Name, TookEffect: true, Text: "killed"})
	}
	w.record.Faults = append(w.record.Faults, f)
	return &w.record.Faults[len(w.record.Faults)-1]
}

func (w *world) save(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "history"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, observation.Folder), 0o755))
	w.record.Histories = nil
	w.placePolls()
	for _, name := range w.order {
		w.saveHistory(t, dir, w.files[name])
	}
	index := &observation.Index{Run: w.record.RunID, Finished: true, Positions: w.positions(), Replicas: &observation.ReplicasRead{}}
	topics := []string{inTopic}
	for _, l := range w.record.Plan.Pipelines {
		topics = append(topics, l.Outputs()...) // effects are read back as a topic's records are
	}
	for _, topic := range topics {
		for p := range int32(parts) {
			index.Partitions = append(index.Partitions, w.saveLog(t, dir, topic, p))
		}
	}
	if w.tweak != nil {
		w.tweak(index)
	}
	w.saved = index
	require.NoError(t, index.Save(dir))
	require.NoError(t, w.record.Save(dir))
	for file, n := range w.cut {
		path := filepath.Join(dir, file)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, max(0, info.Size()-n)))
	}
	return dir
}

// placePolls says where the live reader's polls were that no test placed: the i-th of a partition brought its log's i-th batch of
// committed records, as it was left.
func (w *world) placePolls() {
	batches, taken := map[ask.TopicPartition][]*observation.Batch{}, map[ask.TopicPartition]int{}
	for at, l := range w.logs {
		batches[at] = committedBatches(l)
	}
	for _, e := range w.hist("observer-live").entries {
		s, ok := e.(*history.DeliveredLive)
		if !ok || s.To > 0 && !w.placed[s] {
			continue
		}
		w.placed[s] = true
		at := ask.TopicPartition{Topic: s.Topic, Partition: s.Partition}
		s.From, s.To, s.Count = 0, 0, 0
		if i := taken[at]; i < len(batches[at]) {
			b := batches[at][i]
			s.From, s.To, s.Count = b.Records[0].Offset, b.Records[len(b.Records)-1].Offset+1, uint64(len(b.Records))
			taken[at]++
		}
	}
}

// committedBatches are a log's batches that a read_committed reader is given.
func committedBatches(l *topicLog) (all []*observation.Batch) {
	var txns observation.Transactions
	for _, b := range l.batches {
		txns.Add(b)
	}
	aborts, stable := observation.NewAborts(txns.Aborted()), l.next
	if open := txns.Open(); len(open) > 0 {
		stable = open[0].Start
	}
	for _, b := range l.batches {
		if !b.Control && !b.Damaged && len(b.Records) > 0 && b.First < stable && !aborts.Has(b) {
			all = append(all, b)
		}
	}
	return all
}

func (w *world) saveHistory(t testing.TB, dir string, f *histFile) {
	path := filepath.Join(dir, f.record.File)
	out, err := history.Create(path, f.process)
	require.NoError(t, err)
	require.NoError(t, out.Write(f.entries...))
	if !f.noEnd {
		require.NoError(t, out.Close())
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	f.record.Bytes = info.Size()
	w.record.Histories = append(w.record.Histories, f.record)
}

// positions are those that the histories' confirmed commits leave, unless extra says otherwise.
func (w *world) positions() []observation.Position {
	if w.extra != nil {
		return w.extra
	}
	var all []observation.Position
	for _, l := range w.record.Plan.Pipelines {
		for p := range int32(parts) {
			if l.Group == "" {
				continue
			}
			all = append(all, observation.Position{Group: l.Group, Topic: inTopic, Partition: p, Offset: w.log(inTopic, p).next})
		}
	}
	return all
}

func (w *world) saveLog(t testing.TB, dir, topic string, p int32) observation.Partition {
	l := w.log(topic, p)
	out, err := observation.Create(observation.File(dir, topic, p), observation.Header{Run: w.record.RunID, Topic: topic, Partition: p})
	require.NoError(t, err)
	var txns observation.Transactions
	for _, b := range l.batches {
		txns.Add(b)
		require.NoError(t, out.Write(b))
	}
	x := observation.Partition{
		Topic: topic, Partition: p, Leader: 1, HW: l.next, LSO: l.next, HWAfter: l.next, LSOAfter: l.next, Reached: l.next, Complete: true,
		Aborted: txns.Aborted(), Replicas: []observation.Replica{{Broker: 2, Reached: l.next}, {Broker: 3, Reached: l.next}},
	}
	for _, a := range txns.Aborted() {
		x.BrokerAborted = append(x.BrokerAborted, observation.Aborted{ProducerID: a.ProducerID, First: a.First, Last: -1})
	}
	if open := txns.Open(); len(open) > 0 {
		open[0].TransactionalID = "t-0"
		x.Open, x.LSO, x.LSOAfter = open, open[0].Start, open[0].Start
	}
	x.Batches, x.Records = out.Totals()
	require.NoError(t, out.Close())
	return x
}

func (w *world) judge(t testing.TB) *harness.Report {
	t.Helper()
	report, err := judge(w.save(t), harness.MaxAnomalies, small)
	require.NoError(t, err)
	return report
}

func rowOf(t testing.TB, r *harness.Report, name string) harness.Row {
	t.Helper()
	for _, row := range r.Rows {
		if row.Pipeline == name {
			return row
		}
	}
	t.Fatalf("no row %s", name)
	return harness.Row{}
}

func reasons(row harness.Row) string {
	var all []string
	for _, v := range row.Verdicts {
		all = append(all, v.Reasons...)
	}
	return strings.Join(append(all, row.Notes...), "\n")
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(data)
}
