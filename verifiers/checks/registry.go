package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

// all lists every check in the order in which reports show their numbers; those without numbers come last. A new check is a
// file and a line here.
var all = []kit.Check{
	input,
	duplicates,
	lost,
	unprocessed,
	hidden,
	hanging,
	unknown,
	phantom,
	torn,
	split,
	committedNotSeen,
	abortedSeen,
	contradicted,
	markers,
	reordered,
	outOfOrder,
	sequences,
	missingOffsets,
	epochsBack,
	forks,
	corrupt,
	foreign,
	unmatched,
	offsetsWentBack,
	deliveredTwice,
	dirtyReads,
	earlyReads,
	pollSkips,
	pollsBack,
	source,
	lsoStalls,
	noProgress,
	recovery,
	latency,
	tookEffect,
	bounds,
	completeness,
}

// OfSource lists those checks that judge the shared source as a producer of the input log.
func OfSource() []kit.Check {
	return []kit.Check{
		input, duplicates, lost, hidden, unknown, phantom, outOfOrder, sequences, missingOffsets, epochsBack, forks, corrupt, foreign, source, completeness,
	}
}

// OfInput lists those that follow the input log itself, whichever rows read it.
func OfInput() []kit.Check { return []kit.Check{outOfOrder, sequences, corrupt, foreign} }

// Every program that can judge declares the numbers: reports are read and written by what the checks declare.
func init() { harness.DeclareNumbers(numbers()) }

func numbers() (declared []harness.Number) {
	for _, c := range all {
		declared = append(declared, c.Numbers...)
	}
	return declared
}

// All lists every check in the order in which reports show their numbers.
func All() []kit.Check { return slices.Clone(all) }

// Causes names every cause of a duplicate or loss, and everything that can have ended a stall, as reports give them.
func Causes() []string {
	named := []string{
		causes.ByBroker, causes.ByResend, causes.ByResendAcross, causes.ByResendWithin, causes.ByCall, causes.ByProcess,
		causes.ByAbsence, causes.BySilence, causes.BySkip, causes.ByGivingUp, causes.ByTruncation, causes.ByDeletion, causes.ByAbort,
		causes.EndedByCommit, causes.EndedByClient, causes.EndedByTimeout, causes.EndedByNewEpoch, causes.EndedByFault, causes.EndedUnasked,
	}
	for _, why := range []string{causes.RereadRestart, causes.RereadRebalance, causes.RereadRewind, causes.RereadRedelivery} {
		named = append(named, causes.ByProcess+" after "+why)
	}
	return named
}

// A check with another Poll than the interface's would be shown no poll, without a word.
var (
	_ kit.PollReader = (*dirtyCount)(nil)
	_ kit.PollReader = (*earlyCount)(nil)
	_ kit.PollReader = (*skipCount)(nil)
	_ kit.PollReader = (*backCount)(nil)
	_ kit.PollReader = (*twiceCount)(nil)
	_ kit.PollReader = (*latencyCount)(nil)
)
