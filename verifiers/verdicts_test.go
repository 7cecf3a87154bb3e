package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

func ran(found ...kit.Finding) []kit.Outcome {
	return []kit.Outcome{{Check: "some", Ran: true, Found: found}}
}

var loss = kit.Finding{Text: "3 lost", Breaks: []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}}

// TestInternalErrorProvesNothing: figures that contradict each other make the row inconclusive, whatever they prove.
func TestInternalErrorProvesNothing(t *testing.T) {
	sum := kit.Finding{Text: "sum", Internal: true}
	require.Equal(t, harness.Inconclusive, decide(harness.AtLeastOnce, ran(loss, sum), nil).Verdict)
	require.Equal(t, harness.Violated, decide(harness.AtLeastOnce, ran(loss), []string{"a doubt"}).Verdict)
	require.Equal(t, harness.Inconclusive, decide(harness.AtMostOnce, ran(loss), []string{"a doubt"}).Verdict)
	require.Equal(t, harness.Held, decide(harness.AtMostOnce, ran(loss), nil).Verdict)
}

// TestHeldIsEarned: where a check did not run, or none did, nothing is held; what others prove stays proved.
func TestHeldIsEarned(t *testing.T) {
	for name, outcomes := range map[string][]kit.Outcome{
		"none ran":       nil,
		"one did not":    append(ran(), kit.Outcome{Check: "other"}),
		"one gave up":    append(ran(), kit.Outcome{Check: "other", Found: []kit.Finding{{Doubt: true, NotRun: true, Text: "the check other did not run: no log"}}}),
		"one has doubts": append(ran(), kit.Outcome{Check: "other", Ran: true, Found: []kit.Finding{{Doubt: true, Text: "unread"}}}),
	} {
		v := decide(harness.AtMostOnce, outcomes, nil)
		require.Equal(t, harness.Inconclusive, v.Verdict, name)
		require.Len(t, v.Reasons, 1, name)
		if len(outcomes) > 0 {
			outcomes[0].Found = []kit.Finding{loss}
			require.Equal(t, harness.Violated, decide(harness.AtLeastOnce, outcomes, nil).Verdict, name)
		}
	}
}
