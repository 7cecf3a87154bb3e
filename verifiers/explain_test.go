package verifiers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/explain"
)

func lifeOf(t *testing.T, dir, record, pipeline string) *harness.RecordLife {
	t.Helper()
	ref, err := explain.ParseRef(record)
	require.NoError(t, err)
	life, err := explain.Of(dir, ref, pipeline)
	require.NoError(t, err)
	return life
}

func kinds(l *harness.RecordLife) (all []string) {
	for i, e := range l.Events {
		all = append(all, e.Kind)
		if i > 0 && e.At < l.Events[i-1].At {
			all = append(all, "out of order")
		}
	}
	return all
}

// TestLifeOfACleanRecord: every step of it is there once, in time order, in the transaction that its output names.
func TestLifeOfACleanRecord(t *testing.T) {
	dir := verifiers.SavePlanted(t, "")
	life := lifeOf(t, dir, "604", "transactional")
	require.Empty(t, life.Faults)
	require.Equal(t, []harness.LifeEnd{{Pipeline: "transactional", State: "visible", Text: "visible once, in out-transactional/1 at offset 221"}}, life.Ends)
	got := kinds(life)
	for _, kind := range []string{"scheduled", "handed", "acked", "marker", "committed"} {
		require.Equal(t, 1, count(got, kind), "%s in %v", kind, got)
	}
	require.Equal(t, 2, count(got, "stored"), "the input and the output")
	require.NotContains(t, got, "out of order")
	for _, place := range []string{"0/604", "input/1@201", "transactional/1@221", "idempotent/1@201"} {
		require.Equal(t, life, lifeOf(t, dir, place, "transactional"), place)
	}
	require.Len(t, lifeOf(t, dir, "604", "").Ends, 2, "both pipelines of the shared source")
	require.EqualValues(t, 1, lifeOf(t, dir, "604", "acks1").Source, "a producer under test has a source of its own")
}

// TestLifeOfAForkedRecord: the copy that a replica holds otherwise says so, and no other.
func TestLifeOfAForkedRecord(t *testing.T) {
	const holds = "at out-transactional/1 offset 221, visible, by worker 0 incarnation 1, processing "
	for from, forked := range map[int64]bool{211: false, 212: true, 221: true, 222: false} {
		life := lifeOf(t, verifiers.SaveForked(t, from), "604", "transactional")
		var says []string
		for _, e := range life.Events {
			if e.Kind == "stored" && strings.Contains(e.Text, "; the replica on broker 2 holds leader epoch 2, producer id 1 ") {
				says = append(says, e.Text)
			}
		}
		require.Equal(t, forked, len(says) == 1, "from %d: %v", from, says)
		if forked {
			require.Contains(t, says[0], holds)
		}
	}
}

// TestLifeOfARecordWithEffects: what the external service accepted is shown as that, and no broker's batch with it.
func TestLifeOfARecordWithEffects(t *testing.T) {
	life := lifeOf(t, verifiers.SaveEffects(t, true), "604", "transactional")
	require.Equal(t, "accepted 2 times by the external service", life.Ends[0].Text)
	require.Contains(t, life.Ends[0].Why[0], "effect 1000 of partition 1: ")
	require.NotContains(t, kinds(life), "out of order")
	var accepted []harness.LifeEvent
	for _, e := range life.Events {
		if e.Kind == "accepted" {
			require.True(t, e.Copy.Effect)
			accepted = append(accepted, e)
		}
	}
	require.Len(t, accepted, 2)
	require.Contains(t, accepted[0].Text, "the external service accepts side effect 201 of partition 1, called by worker 0 incarnation 1")
	require.Contains(t, accepted[1].Text, "during transaction 99")
	require.Equal(t, 2900*time.Millisecond, accepted[1].At.Sub(life.LoadStart))

	once := lifeOf(t, verifiers.SaveEffects(t, true), "607", "transactional")
	require.Equal(t, []harness.LifeEnd{{Pipeline: "transactional", State: "visible", Text: "accepted once by the external service, as side effect 202 of partition 1"}}, once.Ends)
	old := lifeOf(t, verifiers.SaveEffects(t, false), "604", "transactional")
	require.Contains(t, old.Missing, "when the external service accepted what: the run is of a version that did not keep it")
	for _, e := range old.Events {
		require.True(t, e.Kind != "accepted" || e.At >= old.LoadStart, "%+v", e)
	}
}

func count(all []string, one string) (n int) {
	for _, x := range all {
		if x == one {
			n++
		}
	}
	return n
}

func TestLivesOfAnomalies(t *testing.T) {
	for _, c := range []struct {
		planted, pipeline string
		kind              harness.AnomalyKind
		state, says       string
		most, found       int
	}{
		{"a batch stored twice with its sequences", "idempotent", harness.AnomalyDuplicate, "duplicated", "the broker stored one batch twice (broker)", 99, 10},
		{"a batch sent again without idempotence", "idempotent", harness.AnomalyDuplicate, "duplicated", "sent again (resend without producer id)", 4, 4},
		{"each 1000th output doubled by another incarnation", "idempotent", harness.AnomalyDuplicate, "duplicated", "worker 0 incarnation 2 processed it after worker 0 incarnation 1", 99, 3},
		{"a worker killed and restarted between output and commit", "idempotent", harness.AnomalyDuplicate, "duplicated", "worker 0 incarnation 2 processed it after worker 0 incarnation 1 " +
			"(reprocessed after restart); 10 duplicates after a restart: idempotent-0 (incarnation 2), assigned input partition 1 in generation 2 at 3.0s, began again at offset 990, " +
			"the offset that idempotent-0 (incarnation 1) had committed at 2.9s; idempotent-0 (incarnation 1) had processed them and was killed", 99, 10},
		{"a partition moved to another worker before the commit", "idempotent", harness.AnomalyDuplicate, "duplicated", "(reprocessed after rebalance); 10 duplicates after a rebalance: " +
			"idempotent-1 (incarnation 1), assigned input partition 1 in generation 3", 99, 10},
		{"acknowledged and not stored", "acks1", harness.AnomalyLost, "lost", "where the acknowledgement said it is: nothing is there", 99, 3},
		{"an ack names an offset that another record holds", "acks1", harness.AnomalyLost, "lost", "source 1 sequence 600 is there, in a batch of leader epoch 0", 99, 1},
		{"a lost tail", "acks1", harness.AnomalyLost, "lost", "the log ends before it", 2, 2},
		{"each 1000th output dropped", "idempotent", harness.AnomalyLost, "lost", "", 99, 3},
		{"input left over", "idempotent", harness.AnomalyUnprocessed, "unprocessed", "", 99, 10},
		{"a torn transaction over two partitions", "transactional", harness.AnomalyLost, "lost", "was aborted by the marker at offset", 99, 10},
		{"a torn transaction over two partitions", "transactional", harness.AnomalyTorn, "visible", "", 99, 1},
		{"an aborted transaction shown", "transactional", harness.AnomalyAbortedSeen, "visible", "", 99, 1},
		{"a refused commit that happened", "transactional", harness.AnomalyPhantom, "visible", "", 99, 1},
		{"failed records that are there", "acks1", harness.AnomalyPhantom, "visible", "", 99, 1},
		{"an open transaction at the end", "transactional", harness.AnomalyHidden, "hidden", "", 99, 30},
	} {
		t.Run(c.planted+" "+string(c.kind), func(t *testing.T) {
			lives, err := explain.Anomalies(verifiers.SavePlanted(t, c.planted), []harness.AnomalyKind{c.kind}, c.most, "")
			require.NoError(t, err)
			require.Len(t, lives, c.found)
			for _, l := range lives {
				require.Len(t, l.Ends, 1)
				require.Equal(t, c.pipeline, l.Ends[0].Pipeline)
				require.Equal(t, c.state, l.Ends[0].State, "%+v", l)
			}
			if c.says != "" {
				require.Contains(t, lives[0].Ends[0].Why[0], c.says)
			}
		})
	}
	clean, err := explain.Anomalies(verifiers.SavePlanted(t, ""), []harness.AnomalyKind{harness.AnomalyDuplicate, harness.AnomalyLost, harness.AnomalyPhantom}, 5, "")
	require.NoError(t, err)
	require.Empty(t, clean)
}

// TestManyLivesAreThoseOfEach: read together, each life is what it is by itself, that of a record which is listed twice too.
func TestManyLivesAreThoseOfEach(t *testing.T) {
	dir := verifiers.SavePlanted(t, "a torn transaction over two partitions")
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	named, err := explain.Records(dir, report.Anomalies)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(named, func(a harness.Anomaly) bool { return a.Kind == harness.AnomalyTorn }), "a transaction is named by its first record")
	var wanted []explain.Wanted
	for _, a := range named {
		wanted = append(wanted, explain.Wanted{Ref: explain.Ref{Identity: history.Identity{Source: a.Record.Source, Sequence: a.Record.Sequence}}, Pipeline: a.Pipeline})
	}
	wanted = append(wanted, explain.Wanted{Ref: explain.Ref{Identity: history.Identity{Source: 1, Sequence: 7}}}, wanted[0])
	lives, err := explain.Many(dir, wanted, nil)
	require.NoError(t, err)
	require.Len(t, lives, len(wanted))
	for i, w := range wanted {
		alone, err := explain.Of(dir, w.Ref, w.Pipeline)
		require.NoError(t, err)
		require.Equal(t, alone, lives[i])
	}
}

// TestKeepingMore: who draws anomalies may ask for more of them, or fewer; the verdict is the same.
func TestKeepingMore(t *testing.T) {
	dir := verifiers.SavePlanted(t, "input left over")
	whole, err := verifiers.Judge(dir)
	require.NoError(t, err)
	two, err := verifiers.JudgeKeeping(dir, 2)
	require.NoError(t, err)
	require.Len(t, whole.Anomalies, 10)
	require.Equal(t, whole.Anomalies[:2], two.Anomalies)
	require.Equal(t, whole.Rows, two.Rows)
}

// TestLivesQuoteTheVerifier: a life gives the cause that the report gives, with what it rests on, also of a record that is
// not among the first anomalies that a report keeps.
func TestLivesQuoteTheVerifier(t *testing.T) {
	for _, c := range []struct{ planted, record, pipeline, state, cause, says string }{
		{"a tail that a live reader saw and that is gone", "2690", "acks1", "lost", "truncated", "truncated: source 1 sequence 2690 acked at out-acks1/2 offset 896 (the log ends at 700), truncated by leader epoch 0 (live reader)"},
		{"a tail that a live reader saw and that is gone", "2999", "acks1", "lost", "acked but absent", "acked but absent: source 1 sequence 2999 acked at out-acks1/2 offset 999"},
		{"outputs truncated under a pipeline", "2999", "idempotent", "lost", "truncated", "truncated between leader epochs 0 and 5 (high watermark), passed by idempotent-0 (incarnation 1) committing 1000 at"},
		{"outputs deleted under a pipeline", "2", "idempotent", "lost", "deleted", "out-idempotent/2 starts at offset 100, and no fault deletes records"},
		{"each 1000th output never produced", "2970", "idempotent", "lost", "skipped", "passed by idempotent-0 (incarnation 1) committing"},
		{"a committed transaction aborted by the log", "180", "transactional", "lost", "aborted", "its output was in transaction 7 of transactional-0 (incarnation 1)"},
		{"an input acknowledged and absent", "3001", "idempotent", "unknown", "acked but absent", "acked but absent: sequence 3001 acked at in/0"},
	} {
		end := lifeOf(t, verifiers.SavePlanted(t, c.planted), c.record, c.pipeline).Ends[0]
		require.Equal(t, c.state, end.State, c.planted)
		require.Equal(t, c.cause, end.Cause, c.planted)
		require.NotNil(t, end.Anomaly, c.planted)
		require.Contains(t, strings.Join(end.Why, "\n"), c.says, c.planted)
	}
	end := lifeOf(t, verifiers.SavePlanted(t, "a worker killed and restarted between output and commit"), "2971", "idempotent").Ends[0]
	reread := end.Anomaly.Copies[1].Reread
	require.Equal(t, "restart", reread.Why)
	require.EqualValues(t, 990, reread.Committed.Offset, "the offset that it went back to")
}

// TestWhatIsMissingIsSaid: a cut history, a log that was not read.
func TestWhatIsMissingIsSaid(t *testing.T) {
	life := lifeOf(t, verifiers.SavePlanted(t, "an observation file cut in the middle"), "2995", "idempotent")
	require.Equal(t, "unknown", life.Ends[0].State)
	require.True(t, slices.ContainsFunc(life.Missing, func(s string) bool {
		return strings.HasPrefix(s, "out-idempotent/1 can be read up to offset ") && strings.HasSuffix(s, " of 1000 only (the file is cut short)")
	}), life.Missing)
	life = lifeOf(t, verifiers.SavePlanted(t, "a truncated worker history"), "2995", "idempotent")
	require.True(t, slices.ContainsFunc(life.Missing, func(s string) bool { return strings.Contains(s, "of history/idempotent-0.hist can't be read") }), life.Missing)
}

func TestRefs(t *testing.T) {
	for _, text := range []string{"", "x", "-1", "1/", "/1", "a/b@c", "in@3", "in/0@", "in/0@-1", "in/-1@1", "65536/1", "18446744073709551616", "in/0@1@2"} {
		_, err := explain.ParseRef(text)
		require.ErrorAs(t, err, &harness.UsageError{}, text)
	}
	dir := verifiers.SavePlanted(t, "")
	for _, text := range []string{"3000", "5/1", "input/0@1000", "input/9@1", "transactional/0@10", "nowhere/0@1"} {
		ref, err := explain.ParseRef(text)
		require.NoError(t, err)
		_, err = explain.Of(dir, ref, "")
		require.ErrorAs(t, err, &harness.UsageError{}, text)
	}
	_, err := explain.Of(dir, explain.Ref{}, "idempotnt")
	require.ErrorContains(t, err, "did you mean idempotent?")
}

// TestLifeAtUncommittedReaders: a row whose readers take everything ends a record as its figures do, and still says which of
// its copies was aborted.
func TestLifeAtUncommittedReaders(t *testing.T) {
	dir := verifiers.SavePlanted(t, "an aborted transaction that is done again, and readers with read_uncommitted")
	life := lifeOf(t, dir, "input/1@995", "transactional")
	require.Len(t, life.Ends, 1)
	require.Equal(t, "duplicated", life.Ends[0].State)
	require.Equal(t, "reprocessed", life.Ends[0].Cause)
	standing := map[string]int{}
	for _, e := range life.Events {
		if e.Copy != nil && e.Copy.Origin != nil {
			standing[e.Copy.Standing]++
		}
	}
	require.Equal(t, map[string]int{"visible": 1, "aborted": 1}, standing)
}

// TestLifeOfARedeliveredRecord: who had it, whose turn it was then, and the brokers' own count.
func TestLifeOfARedeliveredRecord(t *testing.T) {
	life := lifeOf(t, verifiers.SaveRedelivered(t), "2972", "share-group")
	require.Equal(t, "duplicated", life.Ends[0].State)
	require.Equal(t, "reprocessed after redelivery", life.Ends[0].Cause)
	require.Contains(t, strings.Join(life.Ends[0].Why, " "), "was killed with them in hand")
	require.True(t, slices.ContainsFunc(life.Events, func(e harness.LifeEvent) bool {
		return e.Process == "share-group-1" && e.Text == "which the brokers count as its delivery 2"
	}))
}
