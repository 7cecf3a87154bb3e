package bench

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// A long run is a saved run that never ran: of four pipelines on 12 partitions, with a fault every minute. What a page
// draws is in it: leaders that move, workers that are killed and come back, stalls, and thousands of records lost and
// duplicated. 5 M records in its logs are ten minutes.
const (
	longParts   = 12
	longWorkers = 3
	// struck is how many partitions a fault hits: those of worker 0, and those whose leader is cut off.
	struck = longParts / longWorkers
	// longPace is the time between two batches of a partition.
	longPace = 72 * time.Millisecond
	// batchesOf a minute, of a fault, of the stall that a cut leader leads to, and of a killed worker's absence.
	minute, faulty, stalled, away = int64(time.Minute / longPace), int64(15 * time.Second / longPace), int64(8 * time.Second / longPace), int64(3 * time.Second / longPace)
	// unreplicated is how many batches a leader acknowledges alone before it is cut off for good, again how many a worker
	// without transactions processes a second time after a kill, and skipped how many one loses that commits early.
	unreplicated, again, skipped = 20, 20, 5
)

// longRun is one while it is written. Its time goes in batches: the n-th of every partition is sent at the same moment.
type longRun struct {
	bigRun
	batches int64
	rand    *rand.Rand
	// ends are the log ends after each batch, by topic and partition.
	ends map[string][][]int64
}

func longAt(n int64) history.Time { return bigBase.Add(time.Duration(n) * longPace) }

// lastFault returns how many batches ago the last fault began (-1: none yet), and whether that is a kill of workers or a cut
// leader: they take turns.
func lastFault(n int64) (ago int64, kill bool) {
	if n < minute/2 {
		return -1, false
	}
	n -= minute / 2
	return n % minute, n/minute%2 == 1
}

// makeLongRun saves a run whose five logs hold about records records in all, in dir.
func makeLongRun(t testing.TB, dir string, records int64) {
	l := &longRun{batches: records / 5 / longParts / perBatch, rand: rand.New(rand.NewPCG(1, 2)), ends: map[string][][]int64{}}
	l.t, l.dir, l.index = t, dir, &observation.Index{Run: history.RunIDOf("long"), Finished: true}
	l.record = &harness.RunRecord{
		Version: harness.RecordVersion, Name: "long", RunID: l.index.Run, Experiment: "bench", Seed: 1, Workers: longWorkers,
		Started: time.Unix(1_800_000_000, 0).UTC(), Base: bigBase, LoadStart: bigBase, Took: time.Duration(l.batches)*longPace + time.Second,
		Bounds: harness.DefaultBounds(), Cluster: harness.ClusterInfo{Provider: "local", Kafka: "4.3.1", Nodes: []int{1, 2, 3}},
		Plan: harness.TopicPlan{Input: "in", Partitions: longParts, MinISR: 2, Replicas: map[int32][]int{}, Pipelines: []harness.PipelineLayout{
			{PipelineInfo: harness.PipelineInfo{Name: "acks1", Claims: harness.AtLeastOnce, ProducerOnly: true}, Source: 1, Output: "out-acks1"},
			{PipelineInfo: harness.PipelineInfo{Name: "auto-commit", Claims: harness.AtLeastOnce}, Output: "out-auto-commit", Group: "g-auto-commit"},
			{PipelineInfo: harness.PipelineInfo{Name: "idempotent", Claims: harness.AtLeastOnce}, Output: "out-idempotent", Group: "g-idempotent"},
			{PipelineInfo: harness.PipelineInfo{Name: "transactional", Claims: harness.ExactlyOnce, Transactional: true, ReadCommitted: true}, Output: "out-transactional", Group: "g-transactional"},
		}},
	}
	for p := range int32(longParts) {
		l.record.Plan.Replicas[p] = []int{1, 2, 3}
	}
	for _, folder := range []string{"history", observation.Folder} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	l.faults()
	l.source(0, "source-input", "", "in")
	l.source(1, "source-acks1", "acks1", "out-acks1")
	for i, layout := range l.record.Plan.Pipelines[1:] {
		l.pipeline(layout, int64(200+100*i))
	}
	l.observer()
	require.NoError(t, l.index.Save(dir))
	require.NoError(t, l.record.Save(dir))
}

// faults records the schedule, each with its proofs.
func (l *longRun) faults() {
	for n := range l.batches {
		ago, kill := lastFault(n)
		if ago != 0 {
			continue
		}
		f := harness.FaultRecord{Fault: "partition", Target: "leader of output/0", At: time.Duration(n) * longPace, For: time.Duration(faulty) * longPace,
			Injected: longAt(n), Healed: longAt(n + faulty), Resolved: harness.Resolved{Text: "broker 1 (leads output/0)", Brokers: []int{1}},
			Reaction: "leader of output/0: 1 -> 2 after 8.0s", HealProof: "no toxic left on 8 links"}
		if kill {
			f.Fault, f.Target, f.Reaction, f.HealProof = "worker-kill", "owner of input/0", "3 workers killed", "3 workers are back"
			f.Resolved = harness.Resolved{Text: "worker 0 of every pipeline", Members: []string{"auto-commit-0", "idempotent-0", "transactional-0"}}
		}
		for p := range int32(struck) {
			f.Resolved.Partitions = append(f.Resolved.Partitions, p)
		}
		for _, layout := range l.record.Plan.Pipelines {
			f.Proofs = append(f.Proofs, harness.Proof{Pipeline: layout.Name, TookEffect: true, Text: "312 kB cut", InFlight: 40})
		}
		l.record.Faults = append(l.record.Faults, f)
	}
}

func longSequence(n int64, p, i int) uint64 {
	return uint64(n)*longParts*perBatch + uint64(i*longParts+p)
}

// input fills a partition's batch with the n-th records of a source.
func (l *longRun) input(out *log, number int, n int64, p int) {
	out.batch.Records = out.batch.Records[:0]
	for i := range perBatch {
		out.batch.Records = append(out.batch.Records, observation.Record{
			Identity:  history.Identity{Source: uint16(number), Sequence: longSequence(n, p, i)},
			Scheduled: longAt(n).Add(time.Duration(i*longParts+p) * longPace / (longParts * perBatch)),
		})
	}
}

// source writes a source's history and log. The one under test got acknowledgements of records that a leader had alone, and lost.
func (l *longRun) source(number int, name, pipeline, topic string) {
	w, done := l.history(name, "source", pipeline, number, 0)
	logs := l.logsOf(longParts, topic, int64(100+number), false)
	for n := range l.batches {
		acked := &history.Acked{Stamp: history.At(longAt(n + 1))}
		ago, kill := lastFault(n)
		for p, out := range logs {
			at := out.next
			if gone := number > 0 && p < struck && !kill && ago >= 0 && ago < unreplicated; !gone {
				l.input(out, number, n, p)
				at = out.write()
			}
			acked.Spans = append(acked.Spans, history.AckSpan{Partition: int32(p), Offset: at,
				SequenceSpan: history.SequenceSpan{First: longSequence(n, p, 0), Stride: longParts, Count: perBatch}})
			l.ended(topic, p, out.next)
		}
		require.NoError(l.t, w.Write(&history.Intent{Stamp: history.At(longAt(n)), First: longSequence(n, 0, 0), Count: longParts * perBatch}, acked))
	}
	l.close(logs)
	done()
}

// ended notes where a log ends after its next batch.
func (l *longRun) ended(topic string, p int, end int64) {
	if l.ends[topic] == nil {
		l.ends[topic] = make([][]int64, longParts)
	}
	l.ends[topic][p] = append(l.ends[topic][p], end)
}
