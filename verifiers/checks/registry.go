package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
)

// check computes some numbers of a row from its evidence and says what they prove. It is pure: no I/O, no clock, no
// logger. A new check is a copy of its nearest neighbour and one line here.
type Check struct {
	Name string
	Run  func(*Facts, *harness.Numbers) []Finding
}

// checks lists every check, sorted by name.
var All = []Check{
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
	{"input", CheckInput},
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

// Names lists every check, sorted; docs/NUMBERS.md says which figure each computes.
func Names() []string {
	var names []string
	for _, c := range All {
		names = append(names, c.Name)
	}
	return names
}

// Causes names every cause of a duplicate or loss, and everything that can have ended a stall, as reports give them.
func Causes() []string {
	all := []string{
		causes.ByBroker, causes.ByResend, causes.ByResendAcross, causes.ByResendWithin, causes.ByCall, causes.ByProcess, causes.ByAbsence, causes.BySilence, causes.BySkip, causes.ByGivingUp, causes.ByTruncation, causes.ByDeletion, causes.ByAbort,
		causes.EndedByCommit, causes.EndedByClient, causes.EndedByTimeout, causes.EndedByNewEpoch, causes.EndedUnasked,
	}
	for _, why := range []string{causes.RereadRestart, causes.RereadRebalance, causes.RereadRewind, causes.RereadRedelivery} {
		all = append(all, causes.ByProcess+" after "+why)
	}
	return all
}

// finding is one thing that a check found.
type Finding struct {
	// breaks are the guarantees that it proves violated.
	Breaks []harness.Guarantee
	// doubt says that it keeps anything from being called held, internal that the figures contradict each other and
	// nothing may be concluded at all. Without any of the three it is a note.
	Doubt, Internal bool
	Text            string
	// anomalies are the first of what it counts, in full.
	Anomalies []harness.Anomaly
}

var (
	noDuplicates = []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}
	NoLoss       = []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}
	onlyExactly  = []harness.Guarantee{harness.ExactlyOnce}
)

func Breaks(g []harness.Guarantee, format string, args ...any) []Finding {
	return []Finding{{Breaks: g, Text: fmt.Sprintf(format, args...)}}
}

// with adds anomalies to the last finding.
func with(found []Finding, anomalies []harness.Anomaly) []Finding {
	if n := len(found); n > 0 {
		found[n-1].Anomalies = append(found[n-1].Anomalies, anomalies...)
	}
	return found
}

func doubt(format string, args ...any) []Finding {
	return []Finding{{Doubt: true, Text: fmt.Sprintf(format, args...)}}
}

func Internal(format string, args ...any) []Finding {
	return []Finding{{Internal: true, Text: "internal error: " + fmt.Sprintf(format, args...)}}
}

func note(format string, args ...any) []Finding {
	return []Finding{{Text: fmt.Sprintf(format, args...)}}
}
