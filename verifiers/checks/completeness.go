package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkCompleteness doubts a row whose logs were not read to their ends, moved while they were read, or begin above 0
// without a fault that moved them there.
func checkCompleteness(e *Facts, _ *harness.Numbers) []Finding {
	parts := e.Out.Parts
	if !e.Layout.ProducerOnly {
		parts = append(append([]*logs.Partition(nil), e.In.Parts...), parts...)
	}
	var found []Finding
	for _, p := range parts {
		for _, text := range p.Doubts {
			found = append(found, doubt("%s", text)...)
		}
		switch d := causes.DeletionOf(e.Run, p); {
		case d == nil:
		case d.Fault == "":
			found = append(found, doubt("%s", causes.DescribeDeletion(d))...)
		default:
			found = append(found, note("%s", causes.DescribeDeletion(d))...)
		}
	}
	return append(found, sampled(parts)...)
}

// sampled says how much of the logs no read_committed client was asked for.
func sampled(parts []*logs.Partition) []Finding {
	var seen, committed uint64
	for _, p := range parts {
		if len(p.Info.Checked) > 0 && p.Info.ClientErr == "" {
			seen, committed = seen+p.Checked, committed+p.Info.Committed.Count
		}
	}
	if seen == committed {
		return nil
	}
	return note("a read_committed client was asked for %s of %s committed records, the ends and aborted transactions first: that it would see the others rests on the log's markers",
		words.Number(seen), words.Number(committed))
}
