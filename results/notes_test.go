package results_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// noted are the texts of a report's notes of a kind about a pipeline.
func noted(r *harness.Report, kind, about string) (texts []string) {
	for _, n := range results.Notes(r, results.Options{}) {
		if n.Kind == kind && n.About == about {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// TestProofsAreShown: what was measured of a request fault is below the table, for the pipelines that it was meant for.
func TestProofsAreShown(t *testing.T) {
	r := clean()
	r.Faults = append(r.Faults, harness.FaultRecord{
		Fault: "request-hold", Target: "all workers", Injected: loadStart.Add(s(5)), Healed: loadStart.Add(s(11)), AimsAt: []string{"transactional"},
		Proofs: []harness.Proof{
			{Pipeline: "idempotent", Text: "no EndTxn request of it matched"},
			{Pipeline: "transactional", TookEffect: true, Text: "1 EndTxn request held up to 6.0s on transactional-1-3-client; answers: NONE ×1"},
		}})
	require.Equal(t, []string{"request-hold: 1 EndTxn request held up to 6.0s on transactional-1-3-client; answers: NONE ×1"}, noted(r, "proof", "transactional"))
	require.Empty(t, noted(r, "proof", "idempotent"), "it was not meant for it")
	r.Faults[1].AimsAt = nil
	require.Equal(t, []string{"request-hold: no EndTxn request of it matched"}, noted(r, "proof", "idempotent"))
	require.Equal(t, []string{"partition: 2.5 kB cut on 1-2-replication and 7 more"}, noted(violated(), "proof", "every pipeline"), "said once")
}

// TestFaultsNameWhatTheyMissed: only pipelines that a fault was meant for count as missed.
func TestFaultsNameWhatTheyMissed(t *testing.T) {
	r := violated()
	require.Contains(t, results.FaultLines(r)[1], "took effect on idempotent, transactional, not on acks1")
	r.Faults[1].AimsAt = []string{"idempotent", "transactional"}
	require.Contains(t, results.FaultLines(r)[1], "took effect on idempotent, transactional")
	require.NotContains(t, results.FaultLines(r)[1], "acks1")
}

// TestCommandsKeepTheirNames: the run's name is left out of notes, but not of a command that is there to be copied.
func TestCommandsKeepTheirNames(t *testing.T) {
	r := violated()
	topic := r.Run + "-out-transactional"
	byKafka := "kafka-transactions.sh --bootstrap-server b:1 abort --topic " + topic + " --partition 0 --start-offset 5"
	byChaeos := `chaeos inject transaction-abort older=3s --target "partition ` + topic + `/0" --for 1s`
	r.Rows[2].Notes = []string{topic + "/0: truncated; to end it: " + byKafka + " && " + byKafka + "; or, where chaeos has left the cluster up: " + byChaeos + "; see " + topic}
	require.Equal(t, []string{"out-transactional/0: truncated; to end it: " + byKafka + " && " + byKafka +
		"; or, where chaeos has left the cluster up: " + byChaeos + "; see out-transactional"}, noted(r, "note", "transactional"))
}

// TestEachIncidentIsSaidOnce: what concerns every pipeline is not repeated for each of them.
func TestEachIncidentIsSaidOnce(t *testing.T) {
	const incident = "warm: not done within 1m0s"
	r := violated()
	r.Inconclusive = []string{incident}
	for i := range r.Rows {
		r.Rows[i].Verdicts[0].Reasons = append(r.Rows[i].Verdicts[0].Reasons, incident)
	}
	r.Rows[1].Verdicts[0].Verdict = harness.Inconclusive
	var b bytes.Buffer
	require.NoError(t, results.Table(&b, r, results.Options{}))
	require.Equal(t, 1, strings.Count(b.String(), incident), b.String())
	require.Equal(t, []string{"can't count as held: " + incident}, noted(r, "why", "every pipeline"))
	require.Empty(t, noted(r, "why", "idempotent"))
	require.Len(t, noted(r, "why", "acks1"), 2, "its own reasons stay")
}

// TestNotesDontContradict: what one note counts, no other note denies.
func TestNotesDontContradict(t *testing.T) {
	r := clean()
	require.Equal(t, []string{"no duplicates were seen"}, noted(r, "not claimed", "idempotent"))
	r.Rows[0].Numbers.Set("identityTwice", 3)
	require.Empty(t, noted(r, "not claimed", "idempotent"), "the source doubled records")
	r = noFaults()
	require.Equal(t, []string{"no losses were seen"}, noted(r, "not claimed", "auto-commit"))
	r.Rows[0].Numbers.Set("ackedAbsent", 3)
	require.Empty(t, noted(r, "not claimed", "auto-commit"), "the source lost records")
}

// TestALongTargetHasALineOfItsOwn: it must not push what came of every other fault off the screen.
func TestALongTargetHasALineOfItsOwn(t *testing.T) {
	r := violated()
	r.Faults[0].Resolved.Text = "broker 1 (leads " + strings.Repeat("output/11, ", 30) + "not the controller)"
	var b bytes.Buffer
	require.NoError(t, results.Table(&b, r, results.Options{}))
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "worker-pause") {
			require.Less(t, len(line), 100, line)
		}
	}
}
