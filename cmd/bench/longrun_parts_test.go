package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// longWorker is one member of a pipeline in all its incarnations; it holds its own quarter of the partitions throughout.
type longWorker struct {
	l           *longRun
	layout      harness.PipelineLayout
	number      int
	logs        []*log
	w           *history.Writer
	done, kill  func()
	incarnation int
	processing  uint64
	txn         uint64
}

func (l *longRun) pipeline(layout harness.PipelineLayout, pid int64) {
	logs := l.logsOf(longParts, layout.Output, pid, layout.Transactional)
	for number := range longWorkers {
		w := &longWorker{l: l, layout: layout, number: number, logs: logs}
		w.begin(bigBase)
		for n := range l.batches {
			w.batch(n)
		}
		w.done()
	}
	for p := range int32(longParts) {
		l.index.Positions = append(l.index.Positions, observation.Position{Group: layout.Group, Topic: "in", Partition: p, Offset: l.batches * perBatch})
	}
	l.close(logs)
}

func (w *longWorker) name() string { return fmt.Sprintf("%s-%d", w.layout.Name, w.number) }

// begin begins the worker's next incarnation.
func (w *longWorker) begin(at history.Time) {
	w.incarnation++
	w.processing, w.txn = 1, 0
	l := w.l
	rec := harness.HistoryRecord{File: fmt.Sprintf("history/%s.%d.hist", w.name(), w.incarnation), Process: w.name(), Role: "worker",
		Pipeline: w.layout.Name, Number: w.number, Incarnation: w.incarnation}
	path := filepath.Join(l.dir, rec.File)
	out, err := history.Create(path, history.Process{Stamp: history.At(at), Run: l.record.RunID, Name: w.name(), Role: "worker", Pipeline: w.layout.Name,
		Number: uint16(w.number), Incarnation: uint32(w.incarnation), Pid: 1})
	require.NoError(l.t, err)
	w.w = out
	w.done = func() {
		if !rec.Killed {
			require.NoError(l.t, out.Close())
		}
		info, err := os.Stat(path)
		require.NoError(l.t, err)
		rec.Bytes = info.Size()
		l.record.Histories = append(l.record.Histories, rec)
	}
	var held []int32
	for p := w.number * struck; p < (w.number+1)*struck; p++ {
		held = append(held, int32(p))
	}
	require.NoError(l.t, out.Write(&history.Assigned{Stamp: history.At(at), Generation: int32(w.incarnation), Partitions: held}))
	w.kill = func() { rec.Killed = true; w.done() }
}

// batch works off the n-th batch of every partition that the worker holds, if it lives: what came while it was away is
// worked off at its return.
func (w *longWorker) batch(n int64) {
	ago, kill := lastFault(n)
	if w.number == 0 && kill && ago == 0 {
		w.kill()
		w.begin(longAt(n + away))
		if !w.layout.Transactional && w.layout.Name == "idempotent" {
			for old := max(0, n-again); old < n; old++ {
				w.work(old, longAt(n+away), false)
			}
		}
	}
	at := longAt(n + 1)
	if w.number == 0 && kill && ago < away {
		at = longAt(n - ago + away)
	}
	w.work(n, at, w.number == 0 && kill && ago < skipped && w.layout.Name == "auto-commit")
	for p := w.number * struck; p < (w.number+1)*struck; p++ {
		w.l.ended(w.layout.Output, p, w.logs[p].next)
	}
}

// work processes the n-th batches at one moment: polls them, stores their outputs unless they are skipped, and commits.
func (w *longWorker) work(n int64, at history.Time, skip bool) {
	var entries []history.Entry
	txn := uint64(0)
	if w.layout.Transactional {
		w.txn++
		txn = w.txn
		entries = append(entries, &history.TxnBegin{Stamp: history.At(at), Txn: txn})
	}
	stored := &history.Outputs{Stamp: history.At(at), Txn: txn, Outcome: history.OutcomeConfirmed}
	var position []history.PartitionOffset
	for p := w.number * struck; p < (w.number+1)*struck; p++ {
		position = append(position, history.PartitionOffset{Partition: int32(p), Offset: (n + 1) * perBatch})
		entries = append(entries, &history.Polled{Stamp: history.At(at), Partition: int32(p), From: n * perBatch, To: (n + 1) * perBatch, Count: perBatch, Processing: w.processing})
		if !skip {
			w.outputs(n, p, txn)
			stored.Counts = append(stored.Counts, history.PartitionCount{Partition: int32(p), Count: perBatch})
		}
		w.processing += perBatch
	}
	entries = append(entries, stored, &history.Committing{Stamp: history.At(at), Txn: txn, Offsets: position},
		&history.Committed{Stamp: history.At(at), Txn: txn, Outcome: history.OutcomeConfirmed, Offsets: position})
	if txn > 0 {
		entries = append(entries, &history.TxnEnding{Stamp: history.At(at), Txn: txn, Commit: true}, &history.TxnEnded{Stamp: history.At(at), Txn: txn, Commit: true, Outcome: history.OutcomeConfirmed})
	}
	require.NoError(w.l.t, w.w.Write(entries...))
}

// outputs stores the outputs of a batch. Of the first transaction in a cut, partition 0's are not in the log, though its
// commit is confirmed: it is torn.
func (w *longWorker) outputs(n int64, p int, txn uint64) {
	ago, kill := lastFault(n)
	out := w.logs[p]
	out.batch.Records = out.batch.Records[:0]
	for i := range perBatch {
		out.batch.Records = append(out.batch.Records, observation.Record{
			Status: observation.Output, Identity: history.Identity{Sequence: longSequence(n, p, i)},
			Scheduled: longAt(n).Add(time.Duration(i*longParts+p) * longPace / (longParts * perBatch)),
			Origin: history.Origin{Partition: int32(p), Offset: n*perBatch + int64(i), Worker: uint16(w.number), Incarnation: uint32(w.incarnation),
				Processing: w.processing + uint64(i), Txn: txn},
		})
	}
	if txn > 0 && p == 0 && ago == 0 && !kill {
		return
	}
	out.write()
	if txn > 0 {
		out.marker()
	}
}

// observer writes what the sampler and the live reader saw: of the transactional pipeline's struck partitions nothing
// while a transaction holds them.
func (l *longRun) observer() {
	live, liveDone := l.history("observer-live", "harness", "", 0, 0)
	samples, samplesDone := l.history("observer-samples", "harness", "", 0, 0)
	l.replicas(samples, 0, 1, 0, 1, 2, 3)
	for n := range l.batches {
		ago, kill := lastFault(n)
		if cut := ago >= 0 && !kill; cut && ago == stalled {
			l.replicas(samples, n, 2, int32(n), 2, 3)
		} else if cut && ago == faulty {
			l.replicas(samples, n, 2, int32(n), 1, 2, 3)
		}
		for _, layout := range l.record.Plan.Pipelines {
			for p := range longParts {
				l.observe(live, samples, layout, n, p)
			}
			if n%28 == 0 || n == l.batches-1 { // every 2 s
				require.NoError(l.t, live.Write(&history.Latency{Stamp: history.At(longAt(n + 1)), Pipeline: layout.Name, HDR: l.latency(n)}))
			}
		}
	}
	liveDone()
	samplesDone()
}

func (l *longRun) latency(n int64) []byte {
	latency := hdrhistogram.New(1000, int64(time.Hour), 3)
	require.NoError(l.t, latency.RecordValues(int64(20*time.Millisecond), (n+1)*longParts*perBatch))
	hdr, err := latency.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	require.NoError(l.t, err)
	return hdr
}

func (l *longRun) replicas(w *history.Writer, n int64, leader, epoch int32, isr ...int32) {
	for _, layout := range l.record.Plan.Pipelines {
		for p := range int32(struck) {
			for broker := int32(1); broker <= 3; broker++ {
				require.NoError(l.t, w.Write(&history.Replicas{Stamp: history.At(longAt(n)), Broker: broker, Topic: layout.Output, Partition: p, Leader: leader, LeaderEpoch: epoch, ISR: isr}))
			}
		}
	}
}

// observe is one partition's turn.
func (l *longRun) observe(live, samples *history.Writer, layout harness.PipelineLayout, n int64, p int) {
	ends := l.ends[layout.Output][p]
	before := func(n int64) int64 {
		if n == 0 {
			return 0
		}
		return ends[n-1]
	}
	ago, kill := lastFault(n)
	from, stable := before(n), ends[n]
	if held := layout.Transactional && p < struck && !kill && ago >= 0; held && ago < stalled {
		from, stable = ends[n], before(n-ago)
	} else if held && ago == stalled {
		from = before(n - ago)
	}
	require.NoError(l.t, samples.Write(&history.Sample{Stamp: history.At(longAt(n + 1)), Topic: layout.Output, Partition: int32(p), Broker: 1, LSO: stable, HW: ends[n]}))
	if from == ends[n] {
		return
	}
	count := uint64(ends[n] - from)
	if layout.Transactional { // a marker after each batch
		count = count * perBatch / (perBatch + 1)
	}
	at := longAt(n + 1).Add(20*time.Millisecond + time.Duration(l.rand.Int64N(int64(30*time.Millisecond))))
	require.NoError(l.t, live.Write(&history.DeliveredLive{Stamp: history.At(at), Topic: layout.Output, Partition: int32(p), From: from, To: ends[n], Count: count, New: count}))
}
