package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// check computes some numbers of a row from its evidence and says what they prove. It is pure: no I/O, no clock, no
// logger. A new check is a copy of its nearest neighbour and one line here.
type check struct {
	name string
	run  func(*facts, *harness.Numbers) []finding
}

// checks lists every check, sorted by name.
var checks = []check{
	{"aborted-seen", checkAbortedSeen},
	{"bites", checkBites},
	{"bounds", checkBounds},
	{"committed-not-seen", checkCommittedNotSeen},
	{"completeness", checkCompleteness},
	{"contradicted", checkContradicted},
	{"corrupt", checkCorrupt},
	{"duplicates", checkDuplicates},
	{"foreign", checkForeign},
	{"hanging", checkHanging},
	{"hidden", checkHidden},
	{"input", checkInput},
	{"latency", checkLatency},
	{"lost", checkLost},
	{"lso-stalls", checkStalls},
	{"no-progress", checkNoProgress},
	{"offsets-went-back", checkOffsetsWentBack},
	{"phantom", checkPhantom},
	{"recovery", checkRecovery},
	{"reordered", checkReordered},
	{"source", checkSource},
	{"split", checkSplit},
	{"torn", checkTorn},
	{"unknown", checkUnknown},
	{"unprocessed", checkUnprocessed},
}

// Checks names every check, sorted; docs/NUMBERS.md says which figure each computes.
func Checks() []string {
	var names []string
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

// Causes names every cause of a duplicate or loss, and everything that can have ended a stall, as reports give them.
func Causes() []string {
	causes := []string{
		byBroker, byResend, byResendAcross, byResendWithin, byCall, byProcess, byAbsence, bySilence, bySkip, byGivingUp, byTruncation, byDeletion, byAbort,
		endedByCommit, endedByClient, endedByTimeout, endedByNewEpoch, endedUnasked,
	}
	for _, why := range []string{rereadRestart, rereadRebalance, rereadRewind, rereadRedelivery} {
		causes = append(causes, byProcess+" after "+why)
	}
	return causes
}

// finding is one thing that a check found.
type finding struct {
	// breaks are the guarantees that it proves violated.
	breaks []harness.Guarantee
	// doubt says that it keeps anything from being called held, internal that the figures contradict each other and
	// nothing may be concluded at all. Without any of the three it is a note.
	doubt, internal bool
	text            string
	// anomalies are the first of what it counts, in full.
	anomalies []harness.Anomaly
}

var (
	noDuplicates = []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}
	noLoss       = []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}
	onlyExactly  = []harness.Guarantee{harness.ExactlyOnce}
)

func breaks(g []harness.Guarantee, format string, args ...any) []finding {
	return []finding{{breaks: g, text: fmt.Sprintf(format, args...)}}
}

// with adds anomalies to the last finding.
func with(found []finding, anomalies []harness.Anomaly) []finding {
	if n := len(found); n > 0 {
		found[n-1].anomalies = append(found[n-1].anomalies, anomalies...)
	}
	return found
}

func doubt(format string, args ...any) []finding {
	return []finding{{doubt: true, text: fmt.Sprintf(format, args...)}}
}

func internal(format string, args ...any) []finding {
	return []finding{{internal: true, text: "internal error: " + fmt.Sprintf(format, args...)}}
}

func note(format string, args ...any) []finding {
	return []finding{{text: fmt.Sprintf(format, args...)}}
}
