package workloads

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/phase"
)

func TestCatalogueIsSortedAndUnique(t *testing.T) {
	var names []string
	for _, info := range Infos() {
		names = append(names, info.Name)
		require.NotEmpty(t, info.Claims)
		require.NotEmpty(t, info.About)
		p, err := Lookup(info.Name)
		require.NoError(t, err)
		require.Equal(t, info.ProducerOnly, p.work == nil)
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	require.Equal(t, slices.Compact(sorted), names)
	_, err := Lookup("exactly-twice")
	require.ErrorContains(t, err, `unknown pipeline "exactly-twice" (one of aborting, aborting-read-uncommitted, `)
}

// workerPipelines are the pipelines with workers.
func workerPipelines() []string {
	var names []string
	for _, info := range Infos() {
		if !info.ProducerOnly {
			names = append(names, info.Name)
		}
	}
	return names
}

func TestCleanRun(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, name := range workerPipelines() {
			if workers == 1 && !slices.Contains([]string{"auto-commit", "idempotent", "transactional"}, name) {
				continue
			}
			t.Run(name+"/"+strings.Repeat("w", workers), func(t *testing.T) {
				t.Parallel()
				r := setup{workers: workers, load: testLoad(), shared: patient()}.rig(t, name)
				r.start()
				r.offer(name, 1500)
				r.finish()
				require.Empty(t, r.Incidents())
				lost, doubled := lostAndDoubled(r.counts(name))
				require.Zero(t, lost, "lost")
				require.Zero(t, doubled, "doubled")
				r.checkSource("source-input", "in")
				if strings.HasPrefix(name, "aborting") { // what it aborts is not what its committed outputs came from
					return
				}
				for w := range workers {
					r.checkWorker(name, w)
				}
			})
		}
	}
}

// TestStopFinishesWhatWasQueued stops a worker that has not committed by itself yet and has records in its queue.
func TestStopFinishesWhatWasQueued(t *testing.T) {
	t.Parallel()
	shared := testShared()
	shared.AutoCommitInterval = time.Hour
	r := setup{workers: 1, load: testLoad(), shared: shared}.rig(t, "auto-commit")
	r.start()
	r.offer("auto-commit", 1500)
	require.NoError(t, r.StopSources(soon(t)))
	require.NoError(t, r.StopWorkers(soon(t)))
	require.Empty(t, r.Incidents())
	n := r.counts("auto-commit")
	at, err := kadm.NewClient(r.admin).FetchOffsets(t.Context(), "group-auto-commit")
	require.NoError(t, err)
	var past int64
	at.Each(func(o kadm.OffsetResponse) { past += o.At })
	require.NotZero(t, past)
	_, doubled := lostAndDoubled(n)
	require.Zero(t, doubled)
	visible := 0
	for _, times := range n {
		visible += times
	}
	require.Equal(t, int(past), visible, "exactly what was taken is finished and committed")
}

func TestCleanRunOfProducersAlone(t *testing.T) {
	r := newRig(t, 0, testLoad(), "acks1")
	r.start()
	r.offer("acks1", 1500)
	r.finish()
	require.Empty(t, r.Incidents())
	r.checkSource("source-acks1", "out-acks1")
}

// checkSource requires that the source's history is the topic, record by record.
func (r *rig) checkSource(process, topic string) {
	r.t.Helper()
	entries := r.entries(process)
	acked, intended := recorded.Acked(entries), uint64(0)
	for _, e := range recorded.Of[*history.Intent](entries) {
		require.Equal(r.t, intended, e.First, "sequences are dense")
		intended += e.Count
	}
	require.Len(r.t, acked, int(intended))
	require.Empty(r.t, recorded.Of[*history.Resolved](entries))
	all := r.readAll(topic)
	require.Len(r.t, all, int(intended))
	for _, v := range all {
		require.Equal(r.t, recorded.At(v.partition, v.offset), acked[v.Sequence])
		require.Equal(r.t, v.partition, int32(v.Sequence%partitions), "input partition = sequence mod partitions")
	}
}

// checkWorker requires that a worker's history agrees with the outputs that carry its number.
func (r *rig) checkWorker(pipeline string, number int) {
	r.t.Helper()
	entries := r.entries(pipeline + "-" + string(rune('0'+number)))
	polled := map[uint64]recorded.Location{}
	for _, e := range recorded.Of[*history.Polled](entries) {
		if e.To-e.From == int64(e.Count) {
			for i := range e.Count {
				polled[e.Processing+i] = recorded.At(e.Partition, e.From+int64(i))
			}
		}
	}
	var seen, confirmed uint64
	for _, v := range r.outputsOf(pipeline) {
		if v.Worker == uint16(number) {
			seen++
			require.Equal(r.t, uint32(1), v.Incarnation)
			require.Equal(r.t, polled[v.Processing], recorded.At(v.Origin.Partition, v.Origin.Offset))
			p, err := Lookup(pipeline)
			require.NoError(r.t, err)
			require.Equal(r.t, p.Transactional, v.Txn > 0)
		}
	}
	for _, e := range recorded.Of[*history.Outputs](entries) {
		require.Equal(r.t, history.OutcomeConfirmed, e.Outcome)
		for _, c := range e.Counts {
			confirmed += c.Count
		}
	}
	require.NotZero(r.t, seen, "every worker does its share")
	require.GreaterOrEqual(r.t, confirmed, seen)
	require.Len(r.t, recorded.Of[*history.Committed](entries), len(recorded.Of[*history.Committing](entries)))
	require.Len(r.t, recorded.Of[*history.Acknowledged](entries), len(recorded.Of[*history.Acknowledging](entries)))
	require.NotEqual(r.t, len(recorded.Of[*history.Committed](entries)) > 0, len(recorded.Of[*history.Acknowledged](entries)) > 0, "one way or the other")
	require.Len(r.t, recorded.Of[*history.TxnEnded](entries), len(recorded.Of[*history.TxnBegin](entries)))
	require.NotEmpty(r.t, recorded.Of[*history.Assigned](entries))
	if len(recorded.Of[*history.TxnBegin](entries)) > 0 {
		asked := recorded.Of[*history.ProducerInit](entries)
		require.NotEmpty(r.t, asked, "who asks for a producer id ends what a predecessor left open")
		require.NotEmpty(r.t, asked[0].TransactionalID)
		require.Less(r.t, asked[0].Asked, recorded.Of[*history.TxnEnded](entries)[0].At)
	}
}

// killAt kills worker 0 when it waits at the phase with something in hand, restarts it, and finishes the run.
func (r *rig) killAt(pipeline, phase string) (held uint64) {
	r.t.Helper()
	r.start()
	r.offer(pipeline, 800)
	name := pipeline + "-0"
	require.NoError(r.t, r.Arm(soon(r.t), name, phase))
	require.NoError(r.t, r.Await(soon(r.t), name))
	m := r.member(name)
	require.Equal(r.t, phase, m.WaitingAt)
	require.NoError(r.t, r.Kill(soon(r.t), name))
	require.Equal(r.t, harness.MemberDead, r.member(name).State)
	require.NoError(r.t, r.Restart(soon(r.t), name))
	r.offer(pipeline, r.Offered(pipeline)+800)
	r.finish()
	require.Empty(r.t, r.Incidents())
	phases := recorded.Of[*history.Phase](r.entries(name))
	require.Len(r.t, phases, 1)
	require.Equal(r.t, m.Held, phases[0].Held)
	return m.Held
}

func (r *rig) member(name string) harness.Member {
	r.t.Helper()
	for _, m := range r.Members() {
		if m.Name == name {
			return m
		}
	}
	require.Fail(r.t, "no member "+name)
	return harness.Member{}
}

func TestKillAfterAutoCommitLosesWhatItHeld(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, testLoad(), "auto-commit")
	held := r.killAt("auto-commit", phase.Committed)
	lost, _ := lostAndDoubled(r.counts("auto-commit"))
	require.NotZero(t, held)
	require.Equal(t, int(held), lost)
}

// repeating are the pipelines that never break a claim of at-least-once, and store outputs before they commit.
func repeating() []string {
	var names []string
	for _, p := range Pipelines() {
		if p.Claims == harness.AtLeastOnce && slices.Contains(p.Phases, phase.Flushed) && strings.HasPrefix(p.breaksWhen, "never") {
			names = append(names, p.Name)
		}
	}
	return names
}

func TestKillBetweenFlushAndCommitDuplicates(t *testing.T) {
	for _, name := range append(repeating(), "share-group") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2, testLoad(), name)
			held := r.killAt(name, phase.Flushed)
			lost, doubled := lostAndDoubled(r.counts(name))
			require.Zero(t, lost)
			if name == "idempotent" {
				require.Equal(t, int(held), doubled, "exactly what was flushed and not committed comes twice")
			}
			require.GreaterOrEqual(t, doubled, int(held), "at least what was flushed and not committed comes twice")
		})
	}
}

func TestKillAfterTheCommitLosesWhatWasInHand(t *testing.T) {
	for _, name := range []string{"commit-first", "commit-out-of-order", "auto-commit-greedy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2, testLoad(), name)
			held := r.killAt(name, phase.Committed)
			lost, doubled := lostAndDoubled(r.counts(name))
			require.NotZero(t, held)
			require.Equal(t, int(held), lost)
			if name == "commit-first" {
				require.Zero(t, doubled)
			}
		})
	}
}

func TestKillInsideTransactionNeitherLosesNorDuplicates(t *testing.T) {
	for _, name := range []string{"transactional", "transactional-manual", "transactional-no-metadata", "transactional-random-id", "fan-out"} {
		for _, at := range []string{phase.Polled, phase.Processed, phase.Flushed, phase.Committing, phase.OffsetsSent, phase.Committed} {
			if name != "transactional" && at != phase.Flushed && at != phase.OffsetsSent {
				continue
			}
			t.Run(name+"/"+at, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, 2, testLoad(), name)
				held := r.killAt(name, at)
				lost, doubled := lostAndDoubled(r.counts(name))
				require.Zero(t, lost)
				require.Zero(t, doubled)
				require.Equal(t, at != phase.Committed, held > 0, "until it is committed, the transaction's records are in hand")
			})
		}
	}
}
